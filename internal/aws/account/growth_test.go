package account_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// crowded serves an account with that many roles and hosted zones. It returns the requests so far.
func crowded(b *testing.B, roles, zones int) (account.Account, func() []moto.Timed) {
	b.Helper()
	var mutex sync.Mutex
	var calls []moto.Timed
	list := func(n int, item string) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, item, i)
		}
		return text.String()
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := moto.Timed{Began: time.Now()}
		defer func() {
			call.Ended = time.Now()
			mutex.Lock()
			defer mutex.Unlock()
			calls = append(calls, call)
		}()
		time.Sleep(20 * time.Millisecond)
		switch action := r.FormValue("Action"); {
		case action == "GetCallerIdentity":
			fmt.Fprint(w, `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/test</Arn>`+
				`<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
		case action == "ListRoles":
			fmt.Fprintf(w, `<ListRolesResponse><ListRolesResult><Roles>%s</Roles></ListRolesResult></ListRolesResponse>`,
				list(roles, `<member><RoleName>role-%d</RoleName><Path>/</Path></member>`))
		case action == "ListRoleTags":
			fmt.Fprint(w, `<ListRoleTagsResponse><ListRoleTagsResult><Tags><member><Key>kubernetes.io/cluster/demo</Key>`+
				`<Value>owned</Value></member></Tags></ListRoleTagsResult></ListRoleTagsResponse>`)
		case r.Method == http.MethodGet:
			fmt.Fprintf(w, `<ListHostedZonesResponse><HostedZones>%s</HostedZones><IsTruncated>false</IsTruncated></ListHostedZonesResponse>`,
				list(zones, `<HostedZone><Id>/hostedzone/Z%d</Id><Name>example.com.</Name></HostedZone>`))
		default:
			fmt.Fprint(w, `<ListTagsForResourcesResponse><ResourceTagSets></ResourceTagSets></ListTagsForResourcesResponse>`)
		}
	}))
	b.Cleanup(server.Close)
	return account.NewAWS(map[string]any{"region": "us-east-1", "accessKey": "a", "secretKey": "s",
			"endpoints": []any{map[string]any{"iam": server.URL, "sts": server.URL, "route53": server.URL}}}), func() []moto.Timed {
			mutex.Lock()
			defer mutex.Unlock()
			return calls
		}
}

// BenchmarkACrowdedAccount counts the requests of a sweep's search, and how many of them wait for another one.
func BenchmarkACrowdedAccount(b *testing.B) {
	for _, n := range []int{50, 500} {
		b.Run(fmt.Sprintf("%d roles, %d zones", n, 2*n), func(b *testing.B) {
			for b.Loop() {
				in, calls := crowded(b, n, 2*n)
				_, missing := account.Leftovers(b.Context(), in, func(t awstype.Type) bool {
					return t.Token == awstype.Role || t.Token == awstype.HostedZone
				})
				require.Empty(b, missing)
				b.ReportMetric(float64(len(calls())), "requests")
				b.ReportMetric(float64(moto.Rounds(calls())), "rounds")
			}
		})
	}
}

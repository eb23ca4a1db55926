package account

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
)

// TestTheTagsOfManyRolesAreReadManyAtOnce: IAM has a request for each role. The server answers the first requests for
// tags once as many are sent as may be.
func TestTheTagsOfManyRolesAreReadManyAtOnce(t *testing.T) {
	t.Parallel()
	const roles = 4 * requests
	full := make(chan struct{})
	var once sync.Once
	var inFlight, most atomic.Int32
	iam := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.FormValue("Action") {
		case "GetCallerIdentity":
			fmt.Fprint(w, `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/test</Arn>`+
				`<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
		case "ListRoles":
			var items strings.Builder
			for i := range roles {
				fmt.Fprintf(&items, `<member><RoleName>role-%02d</RoleName><Path>/</Path></member>`, i)
			}
			fmt.Fprintf(w, `<ListRolesResponse><ListRolesResult><Roles>%s</Roles></ListRolesResult></ListRolesResponse>`, items.String())
		default:
			now := inFlight.Add(1)
			defer inFlight.Add(-1)
			for known := most.Load(); now > known && !most.CompareAndSwap(known, now); known = most.Load() {
			}
			if now == requests {
				once.Do(func() { close(full) })
			}
			select {
			case <-full:
			case <-time.After(20 * time.Second):
				t.Error("the requests are sent one after the other")
			}
			fmt.Fprintf(w, `<ListRoleTagsResponse><ListRoleTagsResult><Tags><member><Key>of</Key><Value>%s</Value></member></Tags>`+
				`</ListRoleTagsResult></ListRoleTagsResponse>`, r.FormValue("RoleName"))
		}
	}))
	t.Cleanup(iam.Close)
	opened := NewAWS(map[string]any{"region": "us-east-1", "accessKey": "a", "secretKey": "s",
		"endpoints": []any{map[string]any{"iam": iam.URL, "sts": iam.URL}}})
	found, err := opened.List(t.Context(), Query{Type: awstype.Role, Complete: true})
	require.NoError(t, err)
	require.Len(t, found, roles)
	for i, r := range found {
		require.Equal(t, fmt.Sprintf("role-%02d", i), r.ID)
		require.Equal(t, r.ID, r.Tags["of"])
	}
	require.EqualValues(t, requests, most.Load(), "not more at once")
}

// TestARequestIsLoggedWithoutItsContent: the log has the name of each request, and neither its parameters nor the
// credentials.
func TestARequestIsLoggedWithoutItsContent(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("Action") == "GetCallerIdentity" {
			fmt.Fprint(w, `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/test</Arn>`+
				`<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>`)
	}))
	t.Cleanup(server.Close)
	opened := NewAWS(map[string]any{"region": "us-east-1", "accessKey": "planted-id", "secretKey": "planted-key",
		"endpoints": []any{map[string]any{"iam": server.URL, "sts": server.URL}}})
	var lines bytes.Buffer
	ctx := trace.With(t.Context(), slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug})))
	_, err := opened.List(ctx, Query{Type: awstype.Role, Inputs: map[string]any{"name": "planted-role"}})
	require.Error(t, err)
	require.Contains(t, lines.String(), "service=STS request=GetCallerIdentity")
	require.Regexp(t, `service=IAM request=\w+ .*AccessDenied`, lines.String())
	require.NotContains(t, lines.String(), "planted")
}

// TestAServiceThatThrottlesIsAskedMoreSlowlyByAllItsClients: each list makes clients.
func TestAServiceThatThrottlesIsAskedMoreSlowlyByAllItsClients(t *testing.T) {
	t.Parallel()
	made := 0
	cfg := aws.Config{Retryer: func() aws.Retryer {
		made++
		return aws.NopRetryer{}
	}}
	var p pace
	for range 3 {
		_ = p.of("iam", cfg).Retryer()
		_ = p.of("ec2", cfg).Retryer()
	}
	require.Equal(t, 2, made)
}

func TestWhatIsGatheredHasTheOrderOfTheItemsAndTheFirstError(t *testing.T) {
	t.Parallel()
	found, err := Gather([]int{3, 1, 2}, func(n int) ([]int, error) { return []int{n, n}, nil })
	require.NoError(t, err)
	require.Equal(t, []int{3, 3, 1, 1, 2, 2}, found)
	failed := errors.New("failed")
	_, err = Gather([]int{1, 2, 3}, func(n int) ([]int, error) {
		if n == 2 {
			return nil, failed
		}
		return nil, nil
	})
	require.ErrorIs(t, err, failed)
}

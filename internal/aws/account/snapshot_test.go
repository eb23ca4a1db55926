package account

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

const natPages, natsPerPage = 10, 1000

// manyNATGateways serves an account of 10,000 NAT gateways. It returns the account, and what counts the requests by
// their action.
func manyNATGateways(t *testing.T) (account Account, requests func(action string) int) {
	t.Helper()
	var mutex sync.Mutex
	counts := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action := r.FormValue("Action")
		if action == "GetCallerIdentity" {
			fmt.Fprint(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>`+
				`<Arn>arn:aws:iam::123456789012:user/test</Arn><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
			return
		}
		page, items := 0, strings.Builder{}
		_, _ = fmt.Sscanf(r.FormValue("NextToken"), "page-%d", &page)
		for i := range natsPerPage {
			id := page*natsPerPage + i
			fmt.Fprintf(&items, `<item><natGatewayId>nat-%05d</natGatewayId><state>available</state><subnetId>subnet-%d</subnetId><vpcId>vpc-1</vpcId>`+
				`<createTime>2026-01-02T03:04:05.678Z</createTime><tagSet><item><key>kubernetes.io/cluster/demo-%d</key><value>owned</value></item></tagSet></item>`,
				id, id%100, id%1000)
		}
		next := ""
		if page++; page < natPages {
			next = fmt.Sprintf("<nextToken>page-%d</nextToken>", page)
		}
		fmt.Fprintf(w, `<DescribeNatGatewaysResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><natGatewaySet>%s</natGatewaySet>%s</DescribeNatGatewaysResponse>`,
			items.String(), next)
	}))
	t.Cleanup(server.Close)
	opened := &realAccount{access: &access{values: map[string]any{"region": "us-east-1", "accessKey": "test",
		"secretKey": "test",
		"endpoints": fmt.Sprintf(`[{"ec2":%q,"sts":%q}]`, server.URL, server.URL)}}}
	_, err := opened.load(t.Context())
	require.NoError(t, err)
	// It counts a request once, however often it is sent.
	opened.config.APIOptions = append(opened.config.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("count",
			func(
				ctx context.Context,
				in middleware.InitializeInput,
				next middleware.InitializeHandler,
			) (middleware.InitializeOutput, middleware.Metadata, error) {
				mutex.Lock()
				counts[awsmiddleware.GetOperationName(ctx)]++
				mutex.Unlock()
				return next.HandleInitialize(ctx, in)
			}), middleware.After)
	})
	return opened, func(action string) int {
		mutex.Lock()
		defer mutex.Unlock()
		return counts[action]
	}
}

// readByAll reads the NAT gateways of one cluster as sweep, preflight, adopt and recovery do.
func readByAll(t *testing.T, account Account) {
	t.Helper()
	leftovers, missing := Leftovers(t.Context(), account, func(s awstype.Type) bool {
		return s.Token == awstype.NATGateway
	})
	require.Empty(t, missing)
	require.Len(t, leftovers, natPages*natsPerPage)
	used, err := account.List(t.Context(), Query{Type: awstype.NATGateway})
	require.NoError(t, err)
	require.Len(t, used, natPages*natsPerPage)
	inSubnet, err := account.List(t.Context(), Query{
		Type:   awstype.NATGateway,
		Inputs: map[string]any{"subnetId": "subnet-7"},
	})
	require.NoError(t, err)
	require.Len(t, inSubnet, 100)
	found, err := account.Find(t.Context(), Query{
		Type:   awstype.NATGateway,
		Inputs: map[string]any{"tags": map[string]any{"kubernetes.io/cluster/demo-7": "owned"}},
	})
	require.NoError(t, err)
	require.Len(t, found, 10)
	at, exists, err := account.Created(t.Context(), found[0])
	require.NoError(t, err)
	require.True(t, exists)
	require.Equal(t, 678, at.Nanosecond()/1e6, "the time has AWS's precision")
	fresh, err := Describe(t.Context(), account, found[0])
	require.NoError(t, err)
	require.NotNil(t, fresh)
}

func TestASnapshotListsAnAccountOf10000ResourcesOnceForAllReaders(t *testing.T) {
	t.Parallel()
	account, requests := manyNATGateways(t)
	snapshot := account.Snapshot()
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() { readByAll(t, snapshot) })
	}
	readers.Wait()
	require.Equal(t, natPages, requests("DescribeNatGateways"))
	require.Equal(t, 1, requests("GetCallerIdentity"))
}

func TestWithoutASnapshotEachReaderAsksAWS(t *testing.T) {
	t.Parallel()
	account, requests := manyNATGateways(t)
	for n := 1; n <= 2; n++ {
		_, err := account.List(t.Context(), Query{Type: awstype.NATGateway})
		require.NoError(t, err)
		require.Equal(t, n*natPages, requests("DescribeNatGateways"))
	}
}

func TestADeletionEndsWhatASnapshotKnows(t *testing.T) {
	t.Parallel()
	account, requests := manyNATGateways(t)
	snapshot := account.Snapshot()
	list := func() []inventory.Resource {
		found, err := snapshot.List(t.Context(), Query{Type: awstype.NATGateway})
		require.NoError(t, err)
		return found
	}
	require.NoError(t, snapshot.Delete(t.Context(), list()[0]))
	list()
	require.Equal(t, 2*natPages, requests("DescribeNatGateways"))
}

package adopt

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// meeting is an account that answers the lists of one group only once all of them are asked for.
type meeting struct {
	*fakeAccount

	t      *testing.T
	groups [][]string

	mutex sync.Mutex
	asked map[string]chan struct{}
}

func (m *meeting) begun(token string) chan struct{} {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.asked[token] == nil {
		m.asked[token] = make(chan struct{})
	}
	return m.asked[token]
}

func (m *meeting) List(ctx context.Context, q account.Query) ([]inventory.Resource, error) {
	begun := m.begun(q.Type)
	m.mutex.Lock()
	select {
	case <-begun:
	default:
		close(begun)
	}
	m.mutex.Unlock()
	for _, group := range m.groups {
		if !slices.Contains(group, q.Type) {
			continue
		}
		for _, other := range group {
			select {
			case <-m.begun(other):
			case <-time.After(20 * time.Second):
				m.t.Errorf("%s is listed before %s", q.Type, other)
			}
		}
	}
	return m.fakeAccount.List(ctx, q)
}

func TestASurveyReadsAtTheSameTimeWhatDoesNotDependOnEachOther(t *testing.T) {
	t.Parallel()
	m := &meeting{fakeAccount: ofHyperShift(), t: t, asked: map[string]chan struct{}{}, groups: [][]string{
		{awstype.VPC, awstype.OIDCProvider, awstype.Role, awstype.HostedZone},
		{awstype.Subnet, awstype.RouteTable, awstype.NATGateway, awstype.VPCEndpoint, awstype.SecondaryCIDR,
			awstype.MainRouteTableAssociation, awstype.DefaultSecurityGroup, awstype.Instance, awstype.FlowLog,
			awstype.DHCPOptions},
		{awstype.RouteTableAssociation, awstype.ElasticIP, awstype.RolePolicy, awstype.RolePolicyAttachment},
	}}
	s, err := Look(t.Context(), m, nil, documents.Search{InfraID: infraID, Region: "us-east-1"})
	require.NoError(t, err)
	_, err = s.Cluster(t.Context())
	require.NoError(t, err)
}

// TestASurveyOfACrowdedAccountThroughAWSsAPI: the requests that find a cluster grow with the account by pages alone.
// CROWDED=N has N other VPCs, 2.5 N other roles and 5 N other zones, and -v prints a table.
func TestASurveyOfACrowdedAccountThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	services := []string{"ec2", "elb", "elbv2", "events", "iam", "logs", "sqs", "route53", "s3", "sts", "kms",
		"resourcegroupstaggingapi"}
	address := moto.Serve(t, "adopt in a crowded account, through AWS's own API")
	e := moto.NewAccount(t, moto.Config(address, services...))
	for _, r := range readRecorded(t) {
		e.Create(r)
	}
	proxied, calls := moto.Watch(t, address)
	more := 2
	if n, err := strconv.Atoi(os.Getenv("CROWDED")); err == nil {
		more = n
		calls.Delay(func(bool) time.Duration { return 200 * time.Millisecond }) // as AWS's, so that rounds can be counted
	}
	survey := func() []moto.Timed {
		in := account.NewAWS(moto.Config(proxied, services...)).Snapshot()
		before := len(calls.Timed())
		var started runtime.MemStats
		runtime.ReadMemStats(&started)
		began := time.Now()
		s, err := Look(t.Context(), in, nil, documents.Search{InfraID: "demo-x1", Region: "us-east-1"})
		require.NoError(t, err)
		c, err := s.Cluster(t.Context())
		require.NoError(t, err)
		require.Empty(t, c.Incomplete)
		var ended runtime.MemStats
		runtime.ReadMemStats(&ended)
		sent := calls.Timed()[before:]
		t.Logf("| %d | %d | %.1f s | %.1f MB |", len(sent), moto.Rounds(sent), time.Since(began).Seconds(),
			float64(ended.TotalAlloc-started.TotalAlloc)/1e6)
		return sent
	}
	alone := survey()
	for i := range more {
		_, err := e.Compute.CreateVpc(t.Context(), &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")})
		require.NoError(t, err)
		if i%2 == 0 {
			e.Role(fmt.Sprintf("other-odd-%d", i))
		}
		for j := range 2 {
			e.Role(fmt.Sprintf("other-%d-%d", i, j))
		}
		for j := range 5 {
			e.Zone(fmt.Sprintf("other-%d-%d.example.com", i, j))
		}
	}
	crowded := survey()
	require.LessOrEqual(t, len(crowded), len(alone)+5*more/100+3*more/1000+1)
}

// BenchmarkALargeStack searches an account for each resource of a stack that is adopted: the rules of one group, which
// are all in one list.
func BenchmarkALargeStack(b *testing.B) {
	for _, resources := range []int{200, 2000} {
		b.Run(fmt.Sprintf("%d resources", resources), func(b *testing.B) {
			aws := &fakeAccount{}
			var queries []account.Query
			for i := range resources {
				rule := map[string]any{"securityGroupId": "sg-1", "ipProtocol": "tcp", "fromPort": float64(22),
					"toPort": float64(22), "cidrIpv4": fmt.Sprintf("10.%d.%d.0/24", i/250, i%250)}
				aws.add(awstype.SecurityGroupIngressRule, fmt.Sprintf("sgr-%d", i), nil, rule)
				queries = append(queries, account.Query{Type: awstype.SecurityGroupIngressRule, Inputs: rule})
			}
			in := account.Account(listedOnce{fakeAccount: aws, found: aws.resources})
			importer := &Importer{Account: func(string) (account.Account, error) { return in, nil }}
			b.ReportAllocs()
			for b.Loop() {
				for i, q := range queries {
					found := importer.find(b.Context(), takeover.Key{Type: q.Type, Name: q.Text("cidrIpv4")}, q, "")
					require.Equal(b, fmt.Sprintf("sgr-%d", i), found.ID)
				}
			}
		})
	}
}

// listedOnce is an account with resources of one type, whose list it keeps, as a snapshot does.
type listedOnce struct {
	*fakeAccount

	found []inventory.Resource
}

func (l listedOnce) List(context.Context, account.Query) ([]inventory.Resource, error) {
	return l.found, nil
}

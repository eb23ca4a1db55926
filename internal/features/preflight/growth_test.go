package preflight

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// meeting is an account whose limit and list of VPCs are each answered once the other one is asked for.
type meeting struct {
	fake

	limit, list chan struct{}
}

func (m meeting) Snapshot() account.Account { return m }

func (m meeting) Limit(ctx context.Context, _ awstype.Quota, _ string) (limit, used int, err error) {
	close(m.limit)
	select {
	case <-m.list:
		return 5, account.Uncounted, nil
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
}

func (m meeting) List(ctx context.Context, _ account.Query) ([]inventory.Resource, error) {
	close(m.list)
	select {
	case <-m.limit:
		return []inventory.Resource{{ID: "vpc-1"}, {ID: "vpc-2"}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestTheLimitAndTheUseOfAQuotaAreAskedAtTheSameTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	found := CheckQuotas(ctx, []Demand{{Place: here, Quota: "vpcs", Count: 1}}, Accounts{
		here: meeting{limit: make(chan struct{}), list: make(chan struct{})},
	})
	require.Len(t, found, 1)
	require.Equal(t, "limit 5, used 2, needed 1", found[0].Problem)
}

// TestAllChecksBeginAtTheSameTime: no check waits for a free place but in its account, which limits the
// requests to each service.
func TestAllChecksBeginAtTheSameTime(t *testing.T) {
	t.Parallel()
	const checks = 50
	begun, all := make(chan struct{}, checks), make(chan struct{})
	go func() {
		for range checks {
			<-begun
		}
		close(all)
	}()
	tasks := make([]func() []finding.Finding, checks)
	for i := range tasks {
		tasks[i] = func() []finding.Finding {
			begun <- struct{}{}
			select {
			case <-all:
			case <-time.After(20 * time.Second):
				t.Error("a check waits for others")
			}
			return []finding.Finding{{Subject: fmt.Sprint(i)}}
		}
	}
	found := sideBySide(tasks)
	require.Len(t, found, checks)
	for i, f := range found {
		require.Equal(t, fmt.Sprint(i), f.Subject)
	}
}

// BenchmarkQuotasOfManyStacks compares the demands of the stacks of a fleet with the quotas of their account.
func BenchmarkQuotasOfManyStacks(b *testing.B) {
	for _, stacks := range []int{100, 1000} {
		b.Run(fmt.Sprintf("%d stacks", stacks), func(b *testing.B) {
			var demands []Demand
			for i := range stacks {
				p := networkPlan()
				p.Stack = fmt.Sprintf("stack-%d", i)
				demands = append(demands, Demands(p)...)
			}
			b.ReportAllocs()
			for b.Loop() {
				require.NotEmpty(b, CheckQuotas(b.Context(), Sum(demands), Accounts{here: fake{}}))
			}
		})
	}
}

// BenchmarkDemandsOfALargeStack counts what a stack with many subnets and NAT gateways needs.
func BenchmarkDemandsOfALargeStack(b *testing.B) {
	for _, resources := range []int{200, 2000} {
		b.Run(fmt.Sprintf("%d resources", resources), func(b *testing.B) {
			p := Plan{Stack: "dev", Own: here}
			for len(p.Resources) < resources {
				vpc := created(awstype.VPC, fmt.Sprintf("vpc-%d", len(p.Resources)), map[string]any{"cidrBlock": "10.0.0.0/16"})
				p.Resources = append(p.Resources, vpc)
				for i := range 8 {
					name := fmt.Sprintf("%s-%d", vpc.name(), i)
					subnet := created(awstype.Subnet, "subnet-"+name, map[string]any{
						"availabilityZone": "us-east-1a",
					}).from("vpcId", vpc)
					p.Resources = append(p.Resources, subnet,
						created(awstype.NATGateway, "nat-"+name, map[string]any{}).from("subnetId", subnet))
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				require.NotEmpty(b, Demands(p))
			}
		})
	}
}

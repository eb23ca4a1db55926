package preflight

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

func TestWhatOperatorsCreateIsCountedInItsAccount(t *testing.T) {
	t.Parallel()
	management, owner := inventory.Place{
		Account: "222222222222",
		Region:  "us-east-1",
	}, inventory.Place{Account: "333333333333", Region: "us-east-1"}
	vpc := Resource{
		URN:     "urn:pulumi:dev::p::aws:ec2/vpc:Vpc::network-vpc",
		Type:    awstype.VPC,
		Place:   owner,
		Created: true,
		Inputs:  props.Map{},
	}
	for name, test := range map[string]struct {
		hosted HostedCluster
		vpc    string
		want   []string
	}{
		"Public": {HostedCluster{Public: true, Cluster: here, VPC: here, Management: here}, "", []string{
			"111111111111 networkLoadBalancers 2", "111111111111 securityGroups 3",
		}},
		"Private, three accounts": {HostedCluster{Private: true, Cluster: here, VPC: owner, Management: management}, "", []string{
			"111111111111 networkLoadBalancers 1", "111111111111 securityGroups 2", "222222222222 networkLoadBalancers 1",
			"222222222222 securityGroups 1",
			"333333333333 interfaceEndpointsPerVPC 1 dev/network-vpc", "333333333333 securityGroups 1",
		}},
		"both, existing VPC": {HostedCluster{Public: true, Private: true, APIServerLoadBalancer: true, Cluster: here, VPC: here, Management: management}, "vpc-1", []string{
			"111111111111 interfaceEndpointsPerVPC 2 vpc-1", "111111111111 networkLoadBalancers 1",
			"111111111111 securityGroups 4", "222222222222 networkLoadBalancers 3", "222222222222 securityGroups 3",
		}},
		"the stack's endpoint, no provider of the management account": {HostedCluster{Private: true, StackEndpoint: true, Cluster: here, VPC: here}, "vpc-1", []string{
			"111111111111 networkLoadBalancers 1", "111111111111 securityGroups 2",
		}},
	} {
		var got []string
		for _, d := range Demands(Plan{Stack: "dev", Own: here, VPCID: test.vpc, Hosted: &test.hosted, Resources: []Resource{vpc}}) {
			if d.Later {
				line := fmt.Sprintf("%s %s %d", d.Account, d.Quota, d.Count)
				if d.Of != "" {
					line += " " + d.Of
				}
				got = append(got, line)
			}
		}
		require.ElementsMatch(t, test.want, got, name)
	}
}

func TestTooFewForTheOperatorsIsAWarningBecauseUpIsNotRefused(t *testing.T) {
	t.Parallel()
	p := Plan{Stack: "dev", Own: here, Hosted: &HostedCluster{Public: true, Cluster: here, VPC: here, Management: here}}
	account := fake{limits: map[string]int{"networkLoadBalancers": 2}, used: map[string]int{"networkLoadBalancers": 1}}
	r := Run(t.Context(), p, Accounts{here: account}, Options{})
	f := findingOn(t, r, Quotas, "network load balancers per region")
	require.Equal(t, "warns: limit 2, used 1, needed 2, 1 too many: operators cannot create all that the cluster needs", fmt.Sprintf("%s: %s", f.Severity.Verdict(), f.Problem))
}

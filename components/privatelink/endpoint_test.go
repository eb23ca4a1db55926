package privatelink

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func endpointArgs() *EndpointArgs {
	id := pulumi.String("subnet-1")
	return &EndpointArgs{
		Cluster: demo(), ServiceName: pulumi.String(serviceName), VPCID: pulumi.String("vpc-1"),
		LocalZoneID:  pulumi.String("Z1"),
		MachineCIDRs: input.Strings("10.0.0.0/16"),
		Subnets: []Subnet{{"us-east-1a", id, pulumi.String("10.0.128.0/20")},
			{"us-east-1b", id, pulumi.String("10.0.144.0/20")}},
	}
}

// HyperShift's operator finds an endpoint by all of its tags, and leaves the API server's name to the endpoint through
// which it is reached.
func TestTagsAndNamesOfAnEndpointAreThoseOfHyperShiftsOperator(t *testing.T) {
	t.Parallel()
	args := endpointArgs()
	args.Tags = map[string]string{"cost-centre": "42"}
	require.Equal(t, pulumi.StringMap{"team": pulumi.String("platform"), "cost-centre": pulumi.String("42"),
		"kubernetes.io/cluster/demo-x1": pulumi.String("owned"), serviceTag: pulumi.String("private-router")},
		args.tagged(map[string]string{serviceTag: "private-router"}))
	require.Equal(t, []string{"api", "*.apps"}, args.names())
	args.APIServerLoadBalancer = true
	require.Equal(t, []string{"*.apps"}, args.names())
	args.Service = KubeAPIServerPrivate
	require.Equal(t, []string{"api"}, args.names())
}

func TestAnUnsuitableEndpointIsRefusedWithARemedy(t *testing.T) {
	t.Parallel()
	many := make([]Subnet, 11)
	for i := range many {
		many[i] = Subnet{fmt.Sprintf("zone-%d", i), pulumi.String("subnet-1"), nil}
	}
	for want, change := range map[string]func(*EndpointArgs){
		`service: "router" is not a private service of a control plane; use private-router or kube-apiserver-private`: func(a *EndpointArgs) { a.Service = "router" },
		`subnets: "11" are more subnets than an endpoint may have; use at most 10`:                                    func(a *EndpointArgs) { a.Subnets = many },
		`subnets are missing; set a subnet of the nodes for each zone`:                                                func(a *EndpointArgs) { a.Subnets = nil },
		`subnets[1].zone: "us-east-1a" is also the zone of subnet [0], but an endpoint has one subnet per zone`:       func(a *EndpointArgs) { a.Subnets[1].Zone = "us-east-1a" },
		`subnets[1].cidr: "10.1.0.0/20" is not in the machine CIDRs, so nodes in it could not connect; add it to machineCIDRs`: func(a *EndpointArgs) {
			a.Subnets[1].CIDR = pulumi.String("10.1.0.0/20")
		},
		`machineCIDRs are missing`: func(a *EndpointArgs) {
			a.MachineCIDRs, a.Subnets[0].CIDR, a.Subnets[1].CIDR = nil, nil, nil
		},
		`machineCIDRs[1]: "10.0.0.1/16" is not a network address; use 10.0.0.0/16`: func(a *EndpointArgs) { a.MachineCIDRs = append(a.MachineCIDRs, pulumi.String("10.0.0.1/16")) },
		`machineCIDRs[1]: "10.0.0.0/16" duplicates [0]`:                            func(a *EndpointArgs) { a.MachineCIDRs = append(a.MachineCIDRs, pulumi.String("10.0.0.0/16")) },
		`serviceName: "x" is not the name of an endpoint service`:                  func(a *EndpointArgs) { a.ServiceName = pulumi.String("x") },
		`localZoneID is missing; set the ID of the zone demo.hypershift.local`:     func(a *EndpointArgs) { a.LocalZoneID = nil },
	} {
		args := endpointArgs()
		change(args)
		err := args.Validate()
		require.ErrorContains(t, err, want)
		require.Len(t, fault.In(err), 1, want)
	}
	require.NoError(t, endpointArgs().Validate())
	require.NoError(t, (&EndpointArgs{Cluster: demo(), OperatorOwned: true}).Validate())
}

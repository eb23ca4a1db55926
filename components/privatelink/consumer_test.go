package privatelink

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const hubVPC = "vpc-0123456789abcdef0"

func consumerArgs() *ConsumerArgs {
	return &ConsumerArgs{
		Cluster: demo(), ServiceName: pulumi.String(serviceName), VPCID: pulumi.String(hubVPC),
		SubnetIDs: input.Strings("subnet-0123456789abcdef0", "subnet-0123456789abcdef1"),
		Clients:   Clients{AllowedCIDRs: input.Strings("10.100.0.0/16")},
	}
}

func TestAnUnsuitableConsumerIsRefusedWithARemedy(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*ConsumerArgs){
		`serviceName is missing; set the endpoint service's name`:                         func(a *ConsumerArgs) { a.ServiceName = nil },
		`serviceName: "x" is not the name of an endpoint service`:                         func(a *ConsumerArgs) { a.ServiceName = pulumi.String("x") },
		`vpcID is missing; set the ID of a VPC in the endpoint service's region`:          func(a *ConsumerArgs) { a.VPCID = nil },
		`vpcID: "hub" is not the ID of a VPC; use one such as vpc-0123456789abcdef0`:      func(a *ConsumerArgs) { a.VPCID = pulumi.String("hub") },
		`subnetIDs are missing; set the ID of a subnet of the VPC for each zone`:          func(a *ConsumerArgs) { a.SubnetIDs = nil },
		`subnetIDs[1]: "us-east-1a" is not the ID of a subnet`:                            func(a *ConsumerArgs) { a.SubnetIDs[1] = pulumi.String("us-east-1a") },
		`subnetIDs: "11" are more subnets than an endpoint may have; use at most 10`:      func(a *ConsumerArgs) { a.SubnetIDs = manySubnets(11) },
		`allowedCIDRs are missing, and so are allowedSecurityGroups; set who may connect`: func(a *ConsumerArgs) { a.AllowedCIDRs = nil },
		`allowedCIDRs[0]: "10.100.0.1/16" is not a network address; use 10.100.0.0/16`:    func(a *ConsumerArgs) { a.AllowedCIDRs = input.Strings("10.100.0.1/16") },
		`allowedSecurityGroups[0]: "web" is not the ID of a security group`:               func(a *ConsumerArgs) { a.AllowedSecurityGroups = input.Strings("web") },
		`allowedSecurityGroups[1]: "sg-0123456789abcdef0" duplicates [0]; list each group once`: func(a *ConsumerArgs) {
			a.AllowedSecurityGroups = input.Strings("sg-0123456789abcdef0", "sg-0123456789abcdef0")
		},
		`hostNames[0]: "api" is not a domain name`:                                    func(a *ConsumerArgs) { a.HostNames = []string{"api"} },
		`hostNames[1]: "a.example.com" is a duplicate; list each name once`:           func(a *ConsumerArgs) { a.HostNames = []string{"a.example.com", "a.example.com"} },
		`hostNames[0]: "api.demo.hypershift.local" is in the local zone`:              func(a *ConsumerArgs) { a.HostNames = []string{"api.demo.hypershift.local"} },
		`hostNames are missing, and localZoneID is none, so clients have no name`:     func(a *ConsumerArgs) { a.LocalZoneID = pulumi.String(NoLocalZone) },
		`clusterAccountID: "12" is not the ID of an account; use its 12 digits`:       func(a *ConsumerArgs) { a.ClusterAccountID = "12" },
		`service: "router" is not a private service of a control plane; use private-`: func(a *ConsumerArgs) { a.Service = "router" },
	} {
		args := consumerArgs()
		change(args)
		err := args.Validate()
		require.ErrorContains(t, err, want)
		require.Len(t, fault.In(err), 1, want)
	}
	args := consumerArgs()
	require.NoError(t, args.Validate())
	args.LocalZoneID, args.HostNames = pulumi.String(NoLocalZone), []string{"api-demo.example.com"}
	require.NoError(t, args.Validate())
	args = consumerArgs()
	args.AllowedCIDRs, args.AllowedSecurityGroups = nil, input.Strings("sg-0123456789abcdef0")
	require.NoError(t, args.Validate())
}

func manySubnets(n int) []pulumi.StringInput {
	var ids []pulumi.StringInput
	for i := range n {
		ids = append(ids, pulumi.String(fmt.Sprintf("subnet-%017x", i)))
	}
	return ids
}

// A consumer has the names that HyperShift's operator gives to the nodes' endpoint, and nothing by which that operator
// finds the nodes' endpoint, its group or its zone.
func TestAConsumerHasTheNamesOfItsServiceAndNoneOfTheOperatorsMarks(t *testing.T) {
	t.Parallel()
	args := consumerArgs()
	args.HostNames = []string{"api-demo.example.com"}
	require.Equal(t, []string{"api.demo.hypershift.local", "*.apps.demo.hypershift.local", "api-demo.example.com"},
		args.Names())
	args.APIServerLoadBalancer = true
	require.Equal(t, []string{"*.apps.demo.hypershift.local", "api-demo.example.com"}, args.Names())
	args.Service = KubeAPIServerPrivate
	require.Equal(t, []string{"api.demo.hypershift.local", "api-demo.example.com"}, args.Names())
	args.LocalZoneID = pulumi.String(NoLocalZone)
	require.Equal(t, []string{"api-demo.example.com"}, args.Names())

	b := &consumerBuilder{args: consumerArgs()}
	require.NotContains(t, b.tagged(b.label()), serviceTag)
	require.NotEqual(t, PrivateRouter.securityGroupName(demo()), b.label())
}

// A zone that an interrupted run has left without tags is the consumer's own: recovery adds it to the state.
func TestAZoneOfAnInterruptedRunIsTheConsumersOwn(t *testing.T) {
	t.Parallel()
	b := &consumerBuilder{args: consumerArgs()}
	for name, c := range map[string]struct {
		zone route53.LookupZoneResult
		own  bool
	}{
		"complete":      {route53.LookupZoneResult{Tags: demo().OwnerTag(), Comment: "Managed by Pulumi"}, true},
		"without tags":  {route53.LookupZoneResult{Comment: "Managed by Pulumi", ResourceRecordSetCount: 2}, true},
		"with a record": {route53.LookupZoneResult{Comment: "Managed by Pulumi", ResourceRecordSetCount: 3}, false},
		"by hand":       {route53.LookupZoneResult{ResourceRecordSetCount: 2}, false},
		"another's": {route53.LookupZoneResult{
			Tags:    map[string]string{"team": "a"},
			Comment: "Managed by Pulumi",
		}, false},
		"another cluster": {route53.LookupZoneResult{Tags: map[string]string{"kubernetes.io/cluster/x": "owned"}}, false},
	} {
		require.Equal(t, c.own, b.isOwn(&c.zone), name)
	}
}

func TestAZoneAssociationNeedsAZoneAndAVPC(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, (&ZoneAssociationArgs{}).Validate(), "zoneID is missing; set the ID of the zone")
	args := &ZoneAssociationArgs{ZoneID: pulumi.String("Z1"), VPCID: pulumi.String("hub")}
	require.ErrorContains(t, args.Validate(), `vpcID: "hub" is not the ID of a VPC; use one such as vpc-0123456789abcdef0`)
	args.VPCID = pulumi.String(hubVPC)
	require.NoError(t, args.Validate())
}

func TestClientsOfAnEndpointAreNotItsMachines(t *testing.T) {
	t.Parallel()
	args := endpointArgs()
	args.AllowedCIDRs = input.Strings("10.100.0.0/16")
	require.NoError(t, args.Validate())
	args.AllowedCIDRs = input.Strings("10.0.0.0/16")
	require.ErrorContains(t, args.Validate(), `allowedCIDRs[0]: "10.0.0.0/16" is a machine CIDR, which may connect already; leave it out`)
}

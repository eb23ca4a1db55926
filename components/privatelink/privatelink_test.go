package privatelink

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

func demo() hypershift.Cluster {
	return hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}
}

const serviceName = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"

func TestPortsNamesAndTagsAreThoseOfHyperShiftsOperator(t *testing.T) {
	t.Parallel()
	require.Equal(t, 443, Service("").Port())
	require.Equal(t, 6443, KubeAPIServerPrivate.Port())
	require.Equal(t, []string{"api", "*.apps"}, PrivateRouter.Names())
	require.Equal(t, []string{"api"}, KubeAPIServerPrivate.Names())
	require.Equal(t, "demo-x1-vpce-private-router", Service("").SecurityGroupName(demo()))
	require.Equal(t, map[string]string{"team": "platform", "kubernetes.io/cluster/demo-x1": "owned",
		"AWSEndpointService": "kube-apiserver-private"}, KubeAPIServerPrivate.endpointTags(demo()))
}

func TestARolesPathDoesNotCountAndAllElseDoes(t *testing.T) {
	t.Parallel()
	for arn, want := range map[string]string{
		"arn:aws:iam::123456789012:role/a/b/name":    "arn:aws:iam::123456789012:role/name",
		"arn:aws-cn:iam::123456789012:role/name":     "arn:aws-cn:iam::123456789012:role/name",
		"arn:aws:iam::123456789012:root":             "arn:aws:iam::123456789012:root",
		"arn:aws:iam::123456789012:user/people/jane": "arn:aws:iam::123456789012:user/people/jane",
	} {
		require.Equal(t, want, WithoutPath(arn))
		require.NoError(t, ValidatePrincipal(arn))
	}
	for _, bad := range []string{"*", "", "123456789012", "arn:aws:iam::123456789012:group/x", "arn:aws:sts::123456789012:assumed-role/x/y", "arn:aws:iam::12:root"} {
		require.ErrorContains(t, ValidatePrincipal(bad), "is not the ARN of a principal; give that of a role, a user or an account", bad)
	}
}

func TestAServiceOfAnotherRegionIsRefused(t *testing.T) {
	t.Parallel()
	require.NoError(t, ValidateServiceName(serviceName, "us-east-1"))
	require.NoError(t, ValidateServiceName(serviceName, ""))
	require.ErrorContains(t, ValidateServiceName(serviceName, "eu-west-1"), "is a service of another region than eu-west-1; give a service of eu-west-1")
	require.ErrorContains(t, ValidateServiceName("com.amazonaws.us-east-1.s3", ""), "is not the name of an endpoint service; give one such as")
}

const balancerARN = "arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/net/router/0123456789abcdef"

func TestLoadBalancersAreNamedInOneWayAndAreNetworkLoadBalancers(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]LoadBalancers{
		"names no load balancer; give arns, names or tags":          {},
		`"arns, names" are several ways to name the load balancers`: {ARNs: []string{balancerARN}, Names: []string{"router"}},
		`arns[0]: "router" is not the ARN of a load balancer`:       {ARNs: []string{"router"}},
		"arns[0]: \"arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/app/web/01\" is not a network load balancer": {
			ARNs: []string{"arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/app/web/01"}},
		`names[0]: "-router" is not the name of a load balancer`: {Names: []string{"-router"}},
	} {
		err := l.Validate("us-east-1")
		require.ErrorContains(t, err, want)
		require.Len(t, fault.In(err), 1)
	}
	require.ErrorContains(t, LoadBalancers{ARNs: []string{balancerARN}}.Validate("eu-west-1"), "is in another region than eu-west-1")
	require.NoError(t, LoadBalancers{ARNs: []string{balancerARN}}.Validate("us-east-1"))
	require.NoError(t, LoadBalancers{Tags: map[string]string{"a": "b"}}.Validate("us-east-1"))
}

func endpointArgs() *EndpointArgs {
	id := pulumi.String("subnet-1")
	return &EndpointArgs{
		Cluster: demo(), ServiceName: pulumi.String(serviceName), VPCID: pulumi.String("vpc-1"), LocalZoneID: pulumi.String("Z1"),
		MachineCIDRs: []string{"10.0.0.0/16"},
		Subnets:      []Subnet{{"us-east-1a", id, "10.0.128.0/20"}, {"us-east-1b", id, "10.0.144.0/20"}},
	}
}

func TestAnEndpointThatAWSOrItsNodesCouldNotUseIsRefusedWithWhatWould(t *testing.T) {
	t.Parallel()
	many := make([]Subnet, 11)
	for i := range many {
		many[i] = Subnet{fmt.Sprintf("zone-%d", i), pulumi.String("subnet-1"), ""}
	}
	for want, change := range map[string]func(*EndpointArgs){
		`service: "router" is no private service of a control plane; give private-router or kube-apiserver-private`: func(a *EndpointArgs) { a.Service = "router" },
		`subnets: "11" are more subnets than an endpoint may have; give at most 10`:                                 func(a *EndpointArgs) { a.Subnets = many },
		`subnets are missing; give a subnet of the nodes for each zone`:                                             func(a *EndpointArgs) { a.Subnets = nil },
		`subnets[1].zone: "us-east-1a" is the zone of subnet [0] already, and an endpoint has one a zone`:           func(a *EndpointArgs) { a.Subnets[1].Zone = "us-east-1a" },
		`subnets[1].cidr: "10.1.0.0/20" is in none of the machine CIDRs, and nodes there would be shut out; add it to machineCIDRs`: func(a *EndpointArgs) {
			a.Subnets[1].CIDR = "10.1.0.0/20"
		},
		`machineCIDRs are missing`: func(a *EndpointArgs) {
			a.MachineCIDRs, a.Subnets[0].CIDR, a.Subnets[1].CIDR = nil, "", ""
		},
		`machineCIDRs[1]: "10.0.0.1/16" is not a network address; give 10.0.0.0/16`: func(a *EndpointArgs) { a.MachineCIDRs = append(a.MachineCIDRs, "10.0.0.1/16") },
		`machineCIDRs[1]: "10.0.0.0/16" is [0] already`:                             func(a *EndpointArgs) { a.MachineCIDRs = append(a.MachineCIDRs, "10.0.0.0/16") },
		`serviceName: "x" is not the name of an endpoint service`:                   func(a *EndpointArgs) { a.ServiceName = pulumi.String("x") },
		`localZoneID is missing; give the ID of the zone demo.hypershift.local`:     func(a *EndpointArgs) { a.LocalZoneID = nil },
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

func TestAPrincipalThatIsNoARNIsRefused(t *testing.T) {
	t.Parallel()
	args := &EndpointServiceArgs{Cluster: demo(), LoadBalancers: LoadBalancers{Names: []string{"router"}},
		AllowedPrincipals: []pulumi.StringInput{pulumi.String("arn:aws:iam::123456789012:root"), pulumi.String("jane")}}
	require.ErrorContains(t, args.Validate(), `allowedPrincipals[1]: "jane" is not the ARN of a principal`)
	require.Len(t, fault.In(args.Validate()), 1)
}

func TestZonesAreComparedByIDAndAMismatchShowsBothAccountsAndWhatWouldDo(t *testing.T) {
	t.Parallel()
	guest := network.ZoneTable{Account: "111111111111", Rows: []network.ZoneRow{{Name: "us-east-1a", ID: "use1-az4"}, {Name: "us-east-1b", ID: "use1-az6"}}}
	management := network.ZoneTable{Account: "222222222222", Rows: []network.ZoneRow{{Name: "us-east-1a", ID: "use1-az6"}, {Name: "us-east-1b", ID: "use1-az4"}}}
	covered := CoverageOf([]Balancer{{ZoneIDs: []string{"use1-az6"}}, {ZoneIDs: []string{"use1-az6"}}})
	require.NoError(t, CheckZones(guest, management, []network.Zone{{Name: "us-east-1b"}}, covered))

	err := CheckZones(guest, management, []network.Zone{{Name: "us-east-1b"}, {Name: "us-east-1a"}}, covered)
	require.EqualError(t, err, `[1]: "us-east-1a" is use1-az4 in account 111111111111, which the service behind the load balancers does not cover: `+
		`no endpoint could be made there; give us-east-1b (use1-az6)`)
	var mismatch *ZoneMismatch
	require.ErrorAs(t, err, &mismatch)
	require.Equal(t, ""+
		"zone ID      guest 111111111111     management 222222222222    covered\n"+
		"use1-az4     us-east-1a             us-east-1b                 no\n"+
		"use1-az6     us-east-1b             us-east-1a                 yes\n", mismatch.Table())
}

package network

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const firewallService = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"

func TestAFirewallsServiceIsRefusedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer map[string]any
		name   string
		want   string
	}{
		"not shared": {want: "cannot be looked up: no matching VpcEndpointService found; use a service of the region whose owner allows the VPC's account"},
		"of another region": {
			name: "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0",
			want: "is a service in eu-west-1; use a service in us-east-1",
		},
		"of a network load balancer": {answer: map[string]any{
			"serviceType":       "Interface",
			"availabilityZones": []any{"us-east-1a", "us-east-1b"},
		},
			want: "is a service of type Interface, which cannot be the target of a route; use one of a Gateway Load Balancer"},
		"in one zone": {answer: map[string]any{
			"serviceType":       "GatewayLoadBalancer",
			"availabilityZones": []any{"us-east-1a"},
		},
			want: "is not available in us-east-1b (available: us-east-1a); use other zones"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args, a := created()
			delete(a.lookups, "getVpcEndpointService")
			if test.answer != nil {
				a.lookups["getVpcEndpointService"] = test.answer
			}
			args.FirewallEndpoint = &FirewallEndpoint{ServiceName: pulumi.String(firewallService)}
			if test.name != "" {
				args.FirewallEndpoint.ServiceName = pulumi.String(test.name)
			}
			made, err := a.run(t, args)
			require.ErrorContains(t, err, "firewallEndpoint.serviceName: ")
			require.ErrorContains(t, err, test.want)
			require.Empty(t, made)
		})
	}
}

func TestNATNoneNeedsNoEndpointsBehindAFirewall(t *testing.T) {
	t.Parallel()
	args := inExisting(hypershift.Private)
	args.Existing, args.NAT, args.Zones = nil, None, []Zone{{Name: "us-east-1a"}}
	require.ErrorContains(t, args.Validate(), "leaves the nodes without sts")
	args.FirewallEndpoint = &FirewallEndpoint{ServiceName: pulumi.String(firewallService)}
	require.NoError(t, args.Validate())
	args.FirewallEndpoint.CIDRs = []string{"192.168.0.0/16"}
	require.ErrorContains(t, args.Validate(), "leaves the nodes without sts")
	args.NAT = ""
	require.NoError(t, args.Validate())
	require.Equal(t, PerZone, args.Base().natOrDefault())
}

// TestAFirewallsEndpointIsNotInTheSubnetOfMachines: AWS requires another one, whose default route is not the endpoint
// itself.
func TestAFirewallsEndpointIsNotInTheSubnetOfMachines(t *testing.T) {
	t.Parallel()
	for _, access := range hypershift.EndpointAccesses() {
		args, a := created()
		a.lookups["getVpcEndpointService"] = map[string]any{
			"serviceType":       "GatewayLoadBalancer",
			"availabilityZones": []any{"us-east-1a", "us-east-1b"},
		}
		args.EndpointAccess, args.FirewallEndpoint = access, &FirewallEndpoint{ServiceName: pulumi.String(firewallService)}
		made, err := a.run(t, args)
		require.NoError(t, err)
		require.NotContains(t, made, "aws:ec2/natGateway:NatGateway network-nat-us-east-1a")
		for _, zone := range []string{"us-east-1a", "us-east-1b"} {
			endpoint := a.inputs["aws:ec2/vpcEndpoint:VpcEndpoint network-firewall-"+zone]
			require.Equal(t, "GatewayLoadBalancer", endpoint["vpcEndpointType"].StringValue())
			require.Equal(t, "network-public-"+zone+"-id", endpoint["subnetIds"].ArrayValue()[0].StringValue(), access)
			route := a.inputs["aws:ec2/route:Route network-private-"+zone+"-firewall-0.0.0.0/0"]
			require.Equal(t, "network-firewall-"+zone+"-id", route["vpcEndpointId"].StringValue())
			require.Equal(t, "network-private-"+zone+"-id", route["routeTableId"].StringValue())
		}
		if !access.HasPublic() {
			require.NotContains(t, made, "aws:ec2/internetGateway:InternetGateway network-igw")
			require.NotContains(t, made, "aws:ec2/route:Route network-public-internet")
		}
	}
}

func TestAnEndpointsSecurityGroupOfAnotherVPCIsRefused(t *testing.T) {
	t.Parallel()
	args := inExisting(hypershift.Private)
	args.InterfaceEndpoints, args.EndpointSecurityGroups = []string{"sts"}, input.Strings("sg-01234567")
	a := &account{lookups: goodAccount()}
	a.but(answers{"getSecurityGroup": {"vpcId": "vpc-other"}})
	made, err := a.run(t, args)
	require.ErrorContains(t, err, `endpointSecurityGroups[0]: "sg-01234567" is in vpc-other; use a security group in vpc-0123456789abcdef0`)
	require.Empty(t, made)
}

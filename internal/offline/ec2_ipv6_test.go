package offline

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// dualStack returns a VPC with an IPv6 CIDR, and the CIDR without its last group.
func (e *engine) dualStack() (vpc, prefix string) {
	e.t.Helper()
	vpc, out := e.create(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "assignGeneratedIpv6CidrBlock": true})
	block := netip.MustParsePrefix(out.String("ipv6CidrBlock"))
	require.Equal(e.t, 56, block.Bits())
	require.NotEmpty(e.t, out["ipv6AssociationId"])
	return vpc, strings.TrimSuffix(block.Addr().StringExpanded(), "00:0000:0000:0000:0000")
}

func TestAVPCGetsAndLosesItsIPv6CIDR(t *testing.T) {
	t.Parallel()
	e := start(t)
	four := props.Map{"cidrBlock": "10.0.0.0/16"}
	dual := props.Map{"cidrBlock": "10.0.0.0/16", "assignGeneratedIpv6CidrBlock": true}
	vpc, out := e.create(awstype.VPC, four)
	require.Equal(t, "", out["ipv6CidrBlock"])
	out, err := e.update(awstype.VPC, vpc, four, dual)
	require.NoError(t, err)
	block := out.String("ipv6CidrBlock")
	out, err = e.update(awstype.VPC, vpc, dual, dual)
	require.NoError(t, err)
	require.Equal(t, block, out["ipv6CidrBlock"], "the CIDR stays")
	subnet := props.Map{
		"vpcId":         vpc,
		"cidrBlock":     "10.0.0.0/20",
		"ipv6CidrBlock": strings.TrimSuffix(block, "/56") + "/64",
	}
	id, made := e.create(awstype.Subnet, subnet)
	require.NotEmpty(t, made["ipv6CidrBlockAssociationId"])
	_, err = e.update(awstype.VPC, vpc, dual, four)
	refused(t, err, "InvalidCidrBlock.InUse")
	changed, err := e.update(awstype.Subnet, id, subnet, without(subnet, "ipv6CidrBlock"))
	require.NoError(t, err)
	require.Equal(t, "", changed["ipv6CidrBlockAssociationId"])
	out, err = e.update(awstype.VPC, vpc, dual, four)
	require.NoError(t, err)
	require.Equal(t, "", out["ipv6CidrBlock"])
}

func TestASubnetsIPv6CIDRMustBeInItsVPCAndNotOverlapAnother(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc, prefix := e.dualStack()
	in := func(vpc, ipv4, ipv6 string) props.Map {
		return props.Map{"vpcId": vpc, "cidrBlock": ipv4, "ipv6CidrBlock": ipv6, "assignIpv6AddressOnCreation": true}
	}
	e.id(awstype.Subnet, in(vpc, "10.0.0.0/20", prefix+"00::/64"))
	for _, c := range []struct{ name, vpc, cidr, code string }{
		{"outside of the VPC", vpc, "2001:db9::/64", "InvalidSubnet.Range"},
		{"smaller than /64", vpc, prefix + "01::/68", "InvalidSubnet.Range"},
		{"no step of four", vpc, prefix + "02::/63", "InvalidSubnet.Range"},
		{"larger than the VPC", vpc, prefix[:len(prefix)-2] + "00::/52", "InvalidSubnet.Range"},
		{"the same", vpc, prefix + "00::/64", "InvalidSubnet.Conflict"},
		{"around another", vpc, prefix + "00::/60", "InvalidSubnet.Conflict"},
		{"a VPC without IPv6", e.vpc(), prefix + "01::/64", "InvalidSubnet.Range"},
	} {
		_, _, err := e.try(awstype.Subnet, in(c.vpc, "10.0.16.0/20", c.cidr), false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	_, _, err := e.try(awstype.Subnet, props.Map{
		"vpcId":                       vpc,
		"cidrBlock":                   "10.0.16.0/20",
		"assignIpv6AddressOnCreation": true,
	}, false)
	refused(t, err, "InvalidParameterValue")
	_, failures := e.check(awstype.Subnet, in(vpc, "10.0.16.0/20", prefix+"01::1/64"))
	require.Len(t, failures, 1)
	require.Contains(t, failures[0].GetReason(), "is not a valid IPv6 CIDR block")
	_, failures = e.check(awstype.Subnet, in(vpc, "10.0.16.0/20", "10.0.16.0/20"))
	require.Len(t, failures, 1)
	e.id(awstype.Subnet, in(vpc, "10.0.16.0/20", prefix+"ff::/64"))
}

func TestAnEgressOnlyGatewayIsTheTargetOfIPv6RoutesOfItsVPC(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc, prefix := e.dualStack()
	gateway := e.id(awstype.EgressOnlyGateway, props.Map{"vpcId": vpc})
	_, _, err := e.try(awstype.EgressOnlyGateway, props.Map{"vpcId": vpc}, false)
	refused(t, err, "InvalidParameterValue")
	_, _, err = e.try(awstype.EgressOnlyGateway, props.Map{"vpcId": "vpc-0"}, false)
	refused(t, err, "InvalidVpcID.NotFound")
	refused(t, e.delete(awstype.VPC, vpc), "DependencyViolation")

	table := e.table(vpc)
	_, _, err = e.try(awstype.Route, props.Map{
		"routeTableId":         table,
		"destinationCidrBlock": "0.0.0.0/0",
		"egressOnlyGatewayId":  gateway,
	}, false)
	refused(t, err, "InvalidParameterValue")
	to := func(destination, table, gateway string) props.Map {
		return props.Map{"routeTableId": table, "destinationIpv6CidrBlock": destination, "egressOnlyGatewayId": gateway}
	}
	_, _, err = e.try(awstype.Route, to("::/0", e.table(e.vpc()), gateway), false)
	refused(t, err, "InvalidParameterValue")
	_, _, err = e.try(awstype.Route, to("::/0", table, "eigw-0"), false)
	refused(t, err, "InvalidGatewayID.NotFound")
	_, _, err = e.try(awstype.Route, to(netip.MustParsePrefix(prefix+"00::/56").String(), table, gateway), false)
	refused(t, err, "RouteAlreadyExists")
	id := e.id(awstype.Route, to("::/0", table, gateway))
	imported, _, _ := e.read(awstype.Route, table+"_::/0", nil)
	require.Equal(t, id, imported)
	_, err = e.update(awstype.EgressOnlyGateway, "none-of-that-id", props.Map{"vpcId": vpc}, props.Map{"vpcId": vpc})
	refused(t, err, "InvalidGatewayID.NotFound")
	require.NoError(t, e.delete(awstype.EgressOnlyGateway, gateway))
}

func TestALoadBalancerForBothFamiliesIsInSubnetsWithIPv6(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc, prefix := e.dualStack()
	in := func(subnet string) props.Map {
		return props.Map{
			"name":             "router",
			"loadBalancerType": "network",
			"internal":         true,
			"ipAddressType":    "dualstack",
			"subnets":          props.List(subnet),
		}
	}
	_, _, err := e.try(awstype.LoadBalancer, in(e.subnet(vpc, "10.0.0.0/20", "us-east-1a")), false)
	refused(t, err, "ValidationError")
	e.id(awstype.LoadBalancer, in(e.id(awstype.Subnet, props.Map{
		"vpcId":         vpc,
		"cidrBlock":     "10.0.16.0/20",
		"ipv6CidrBlock": prefix + "00::/64",
	})))
}

package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

// anywhereIPv6 is the destination of a default route for IPv6.
const anywhereIPv6 = "::/0"

// ipv6Block returns the IPv6 CIDR of a VPC. It is unknown in the preview of a VPC that exists and gets one, for which
// the provider reports none.
func (n *newVPC) ipv6Block(vpc *ec2.Vpc) pulumi.StringOutput {
	return vpc.Ipv6CidrBlock.ApplyT(func(block string) pulumi.StringOutput {
		if block == "" && n.ctx.DryRun() {
			unknown := pulumi.UnsafeUnknownOutput([]pulumi.Resource{vpc})
			return unknown.ApplyT(func(any) string { return "" }).(pulumi.StringOutput)
		}
		return text(block)
	}).(pulumi.StringOutput)
}

// addIPv6 sets the IPv6 CIDR of a subnet that is created, and lets interfaces in it get an address: part returns the
// CIDR from the VPC's. IPv6 addresses are public, so that the routes decide what is reached from the internet.
func (n *newVPC) addIPv6(args *ec2.SubnetArgs, part func(layout.IPv6) string) {
	if !n.args.IPv6 {
		return
	}
	args.AssignIpv6AddressOnCreation = pulumi.Bool(true)
	args.Ipv6CidrBlock = n.ipv6CIDR.ApplyT(func(block string) (string, error) {
		divided, err := layout.NewIPv6(block)
		if err != nil {
			return "", err
		}
		return part(divided), nil
	}).(pulumi.StringOutput)
}

// internetIPv6 routes IPv6 in the public subnets to the internet gateway.
func (n *newVPC) internetIPv6(table *ec2.RouteTable, gateway *ec2.InternetGateway) error {
	if !n.args.IPv6 {
		return nil
	}
	_, err := ec2.NewRoute(n.ctx, n.child("public-internet-ipv6"), &ec2.RouteArgs{
		RouteTableId:             table.ID(),
		DestinationIpv6CidrBlock: pulumi.String(anywhereIPv6),
		GatewayId:                gateway.ID(),
	}, n.parent())
	return err
}

// egressOnlyGateway creates the gateway through which private subnets reach the internet over IPv6. It exists only
// together with NAT gateways: without these, a network has no way to the internet, or one through another VPC that this
// gateway would bypass.
func (n *newVPC) egressOnlyGateway(vpc *ec2.Vpc, private *privateSide) error {
	if !n.args.IPv6 || len(n.args.natZones(n.zones)) == 0 || n.args.publicOnly() {
		return nil
	}
	gateway, err := ec2.NewEgressOnlyInternetGateway(n.ctx, n.child("eigw"), &ec2.EgressOnlyInternetGatewayArgs{
		VpcId: vpc.ID(),
		Tags:  n.tags(n.args.Prefix + "-eigw"),
	}, n.parent())
	if err != nil {
		return err
	}
	for _, zone := range n.zones {
		if _, err := ec2.NewRoute(n.ctx, n.child("private-"+zone.name+"-ipv6"), &ec2.RouteArgs{
			RouteTableId:             private.tables[zone.name].ID(),
			DestinationIpv6CidrBlock: pulumi.String(anywhereIPv6),
			EgressOnlyGatewayId:      gateway.ID(),
		}, n.parent()); err != nil {
			return err
		}
	}
	return nil
}

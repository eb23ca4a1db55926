package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// natGateways makes the NAT gateways that the strategy asks for, each with an elastic IP, and returns
// them by zone.
func (b *builder) natGateways(internet *ec2.InternetGateway, public *publicSide) (map[string]*ec2.NatGateway, error) {
	infraID := b.args.Cluster.InfraID
	gateways := map[string]*ec2.NatGateway{}
	ids, addresses, subnets := pulumi.StringMap{}, pulumi.StringMap{}, pulumi.StringMap{}
	for _, zone := range b.args.NAT.zones(b.zones) {
		// AWS takes the internet gateway from a VPC only when no public address is left in it, so
		// address and NAT gateway come after it and go before it.
		address, err := ec2.NewEip(b.ctx, b.child("eip-"+zone.name), &ec2.EipArgs{
			Domain: pulumi.String("vpc"),
			Tags:   b.tags(infraID + "-eip-" + zone.name),
		}, b.parent(), pulumi.DependsOn([]pulumi.Resource{internet}))
		if err != nil {
			return nil, err
		}
		subnet := public.subnets[zone.name]
		gateway, err := ec2.NewNatGateway(b.ctx, b.child("nat-"+zone.name), &ec2.NatGatewayArgs{
			AllocationId: address.AllocationId,
			SubnetId:     subnet.ID(),
			Tags:         b.tags(infraID + "-nat-" + zone.name),
		}, b.parent(), pulumi.DependsOn([]pulumi.Resource{internet, public.route}))
		if err != nil {
			return nil, err
		}
		gateways[zone.name] = gateway
		ids[zone.name] = gateway.ID().ToStringOutput()
		addresses[zone.name] = address.PublicIp
		subnets[zone.name] = subnet.ID().ToStringOutput()
	}
	b.network.NATGatewayIDs = ids.ToStringMapOutput()
	b.network.NATAddresses = addresses.ToStringMapOutput()
	b.network.EgressSubnetIDs = subnets.ToStringMapOutput()
	return gateways, nil
}

package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// natGateways makes the NAT gateways that the strategy asks for, each with an elastic IP, and returns
// them by zone.
func (b *builder) natGateways(internet *ec2.InternetGateway, public *publicSide) (map[string]*ec2.NatGateway, error) {
	gateways := map[string]*ec2.NatGateway{}
	ids, addresses, subnets := pulumi.StringMap{}, pulumi.StringMap{}, pulumi.StringMap{}
	for _, zone := range b.nat.zones(b.zones) {
		allocation, address, err := b.elasticIP(zone.name, internet)
		if err != nil {
			return nil, err
		}
		subnet := public.subnets[zone.name]
		gateway, err := ec2.NewNatGateway(b.ctx, b.child("nat-"+zone.name), &ec2.NatGatewayArgs{
			AllocationId: allocation,
			SubnetId:     subnet.ID(),
			Tags:         pulumi.ToStringMap(b.profile.tagging.NATGateway(b.natName(zone.name))),
		}, b.parent(), pulumi.DependsOn([]pulumi.Resource{internet, public.route}))
		if err != nil {
			return nil, err
		}
		gateways[zone.name] = gateway
		ids[zone.name] = gateway.ID().ToStringOutput()
		addresses[zone.name] = address
		subnets[zone.name] = subnet.ID().ToStringOutput()
	}
	b.network.NATGatewayIDs = ids.ToStringMapOutput()
	b.network.NATAddresses = addresses.ToStringMapOutput()
	b.network.EgressSubnetIDs = subnets.ToStringMapOutput()
	return gateways, nil
}

func (b *builder) natName(zone string) string { return b.args.Cluster.InfraID + "-nat-" + zone }

package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// privateSide is the part of the network that nodes live in, by zone.
type privateSide struct {
	subnets map[string]*ec2.Subnet
	tables  map[string]*ec2.RouteTable
}

// privateSide makes every zone's node subnet with a route table of its own, and the table's way out:
// to the zone's NAT gateway or, where there is a single one, to that. A public-only network has none of it.
func (b *builder) privateSide(vpc *ec2.Vpc, gateways map[string]*ec2.NatGateway) (*privateSide, error) {
	side := &privateSide{subnets: map[string]*ec2.Subnet{}, tables: map[string]*ec2.RouteTable{}}
	subnetIDs, tableIDs := pulumi.StringMap{}, pulumi.StringMap{}
	zones := b.zones
	if b.profile.publicMachines && !b.profile.alsoPrivate {
		zones = nil
	}
	for _, zone := range zones {
		part := "private-" + zone.name
		name := b.args.Cluster.InfraID + "-" + part
		table, err := ec2.NewRouteTable(b.ctx, b.child(part), &ec2.RouteTableArgs{
			VpcId: vpc.ID(),
			Tags:  b.tags(name),
		}, b.parent())
		if err != nil {
			return nil, err
		}
		tags := b.profile.tagging.PrivateSubnet(name)
		subnet, err := b.subnet(part, vpc, zone, b.layout.Private(zone.slot), tags, table)
		if err != nil {
			return nil, err
		}
		if err := b.natRoute(part, zone, table, gateways); err != nil {
			return nil, err
		}
		side.subnets[zone.name], side.tables[zone.name] = subnet, table
		subnetIDs[zone.name] = subnet.ID().ToStringOutput()
		tableIDs[zone.name] = table.ID().ToStringOutput()
	}
	b.network.PrivateSubnetIDs = subnetIDs.ToStringMapOutput()
	b.network.PrivateRouteTableIDs = tableIDs.ToStringMapOutput()
	return side, nil
}

func (b *builder) natRoute(part string, zone placedZone, table *ec2.RouteTable, gateways map[string]*ec2.NatGateway) error {
	gateway, own := gateways[zone.name]
	if !own {
		gateway = gateways[b.zones[0].name]
	}
	if gateway == nil {
		return nil
	}
	_, err := ec2.NewRoute(b.ctx, b.child(part+"-nat"), &ec2.RouteArgs{
		RouteTableId:         table.ID(),
		DestinationCidrBlock: pulumi.String(anywhere),
		NatGatewayId:         gateway.ID(),
	}, b.parent())
	return err
}

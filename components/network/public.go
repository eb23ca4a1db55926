package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// publicSide is the part of the network with a route to the internet gateway.
type publicSide struct {
	// subnets are by zone. In mode Private they are egress subnets: the same resources, with a NAT
	// gateway in each and without the tag by which load balancers find them.
	subnets map[string]*ec2.Subnet
	// table is nil where there are no subnets.
	table *ec2.RouteTable
	// route is the table's way to the internet gateway.
	route *ec2.Route
}

// publicSide makes the public subnets, or the egress subnets of a Private network, and their route
// table. In a network with public subnets that table is the VPC's main one.
func (b *builder) publicSide(vpc *ec2.Vpc, gateway *ec2.InternetGateway) (*publicSide, error) {
	side := &publicSide{subnets: map[string]*ec2.Subnet{}}
	b.network.PublicSubnetIDs = pulumi.StringMap{}.ToStringMapOutput()
	b.network.PublicRouteTableID = pulumi.String("").ToStringOutput()
	if gateway == nil {
		return side, nil
	}
	if err := b.publicTable(side, vpc, gateway); err != nil {
		return nil, err
	}
	public := b.args.EndpointAccess.HasPublic()
	zones, ids := b.zones, pulumi.StringMap{}
	if !public {
		zones = b.nat.zones(b.zones)
	}
	for _, zone := range zones {
		subnet, err := b.subnet("public-"+zone.name, vpc, zone, b.layout.Public(zone.slot), b.publicTags(zone.name), side.table)
		if err != nil {
			return nil, err
		}
		side.subnets[zone.name] = subnet
		ids[zone.name] = subnet.ID().ToStringOutput()
	}
	if public {
		b.network.PublicSubnetIDs = ids.ToStringMapOutput()
	}
	return side, nil
}

// publicTags are the tags of a zone's public or egress subnet.
func (b *builder) publicTags(zone string) map[string]string {
	prefix := b.args.Cluster.InfraID
	if b.args.EndpointAccess.HasPublic() {
		return b.profile.tagging.PublicSubnet(prefix+"-public-"+zone, b.profile.publicMachines)
	}
	return b.profile.tagging.Plain(prefix + "-egress-" + zone)
}

func (b *builder) publicTable(side *publicSide, vpc *ec2.Vpc, gateway *ec2.InternetGateway) error {
	public := b.args.EndpointAccess.HasPublic()
	name := b.args.Cluster.InfraID + "-egress"
	if public {
		name = b.args.Cluster.InfraID + "-public"
	}
	table, err := ec2.NewRouteTable(b.ctx, b.child("public"), &ec2.RouteTableArgs{
		VpcId: vpc.ID(),
		Tags:  b.tags(name),
	}, b.parent())
	if err != nil {
		return err
	}
	side.table = table
	b.network.PublicRouteTableID = table.ID().ToStringOutput()
	if side.route, err = ec2.NewRoute(b.ctx, b.child("public-internet"), &ec2.RouteArgs{
		RouteTableId:         table.ID(),
		DestinationCidrBlock: pulumi.String(anywhere),
		GatewayId:            gateway.ID(),
	}, b.parent()); err != nil {
		return err
	}
	if !public {
		return nil
	}
	_, err = ec2.NewMainRouteTableAssociation(b.ctx, b.child("public-main"), &ec2.MainRouteTableAssociationArgs{
		VpcId:        vpc.ID(),
		RouteTableId: table.ID(),
	}, b.parent())
	return err
}

// anywhere is the destination of a default route.
const anywhere = "0.0.0.0/0"

// subnet makes a subnet that gives no public addresses, in the table given.
func (b *builder) subnet(part string, vpc *ec2.Vpc, zone placedZone, cidr string, tags map[string]string,
	table *ec2.RouteTable, opts ...pulumi.ResourceOption) (*ec2.Subnet, error) {
	subnet, err := ec2.NewSubnet(b.ctx, b.child(part), &ec2.SubnetArgs{
		VpcId:               vpc.ID(),
		AvailabilityZone:    pulumi.String(zone.name),
		CidrBlock:           pulumi.String(cidr),
		MapPublicIpOnLaunch: pulumi.Bool(false),
		Tags:                pulumi.ToStringMap(tags),
	}, append(opts, b.parent())...)
	if err != nil {
		return nil, err
	}
	b.subnets = append(b.subnets, madeSubnet{part, subnet, tags})
	_, err = ec2.NewRouteTableAssociation(b.ctx, b.child(part), &ec2.RouteTableAssociationArgs{
		SubnetId:     subnet.ID(),
		RouteTableId: table.ID(),
	}, b.parent())
	return subnet, err
}

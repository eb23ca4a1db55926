package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

// publicSide is the part of the network with a route to the internet gateway.
type publicSide struct {
	// subnets are by zone. With endpointAccess Private they are egress subnets: the same resources, each with a NAT
	// gateway or a firewall's endpoint and without the tag for load balancers.
	subnets map[string]*ec2.Subnet
	// table is nil without subnets.
	table *ec2.RouteTable
	// route is the table's route to the internet gateway, nil without one.
	route *ec2.Route
}

// publicSide creates the public subnets, or the egress subnets of a Private network, and their route table. The table
// of public subnets is the VPC's main one.
func (n *newVPC) publicSide(vpc *ec2.Vpc, gateway *ec2.InternetGateway) (*publicSide, error) {
	side := &publicSide{subnets: map[string]*ec2.Subnet{}}
	zones := n.args.egressZones(n.zones)
	if len(zones) == 0 {
		return side, nil
	}
	if err := n.publicTable(side, vpc, gateway); err != nil {
		return nil, err
	}
	public := n.args.PublicSubnets
	ids := pulumi.StringMap{}
	for _, zone := range zones {
		part, tags := "public-"+zone.name, n.publicTags(zone.name)
		ipv6 := func(l layout.IPv6) string { return l.Public(zone.slot) }
		subnet, err := n.subnet(part, vpc, zone, n.layout.Public(zone.slot), ipv6, tags, side.table)
		if err != nil {
			return nil, err
		}
		if public { // an egress subnet only contains a NAT gateway or a firewall's endpoint
			n.created = append(n.created, clusterSubnet{part, subnet, tags})
		}
		side.subnets[zone.name] = subnet
		ids[zone.name] = subnet.ID().ToStringOutput()
	}
	if public {
		n.out.PublicSubnetIDs = ids.ToStringMapOutput()
	}
	return side, nil
}

// publicTags returns the tags of a zone's public or egress subnet.
func (n *newVPC) publicTags(zone string) map[string]string {
	prefix := n.args.Prefix
	if n.args.PublicSubnets {
		return n.args.Tagging.PublicSubnet(prefix+"-public-"+zone, n.args.PublicMachines)
	}
	return n.args.Tagging.Plain(prefix + "-egress-" + zone)
}

func (n *newVPC) publicTable(side *publicSide, vpc *ec2.Vpc, gateway *ec2.InternetGateway) error {
	public := n.args.PublicSubnets
	name := n.args.Prefix + "-egress"
	if public {
		name = n.args.Prefix + "-public"
	}
	table, err := ec2.NewRouteTable(n.ctx, n.child("public"), &ec2.RouteTableArgs{
		VpcId: vpc.ID(),
		Tags:  n.tags(name),
	}, n.parent())
	if err != nil {
		return err
	}
	side.table = table
	n.out.PublicRouteTableID = table.ID().ToStringOutput()
	if gateway == nil {
		return nil
	}
	if side.route, err = ec2.NewRoute(n.ctx, n.child("public-internet"), &ec2.RouteArgs{
		RouteTableId:         table.ID(),
		DestinationCidrBlock: pulumi.String(anywhere),
		GatewayId:            gateway.ID(),
	}, n.parent()); err != nil {
		return err
	}
	if err := n.internetIPv6(table, gateway); err != nil || !public {
		return err
	}
	_, err = ec2.NewMainRouteTableAssociation(n.ctx, n.child("public-main"), &ec2.MainRouteTableAssociationArgs{
		VpcId:        vpc.ID(),
		RouteTableId: table.ID(),
	}, n.parent())
	return err
}

// anywhere is the destination of a default route.
const anywhere = "0.0.0.0/0"

// subnet creates a subnet with the given route table, in which instances get no public IPv4 addresses by default. ipv6
// returns its IPv6 CIDR.
func (n *newVPC) subnet(part string, vpc *ec2.Vpc, zone placedZone, cidr string, ipv6 func(layout.IPv6) string, tags map[string]string,
	table *ec2.RouteTable, opts ...pulumi.ResourceOption) (*ec2.Subnet, error) {
	args := &ec2.SubnetArgs{
		VpcId:               vpc.ID(),
		AvailabilityZone:    pulumi.String(zone.name),
		CidrBlock:           pulumi.String(cidr),
		MapPublicIpOnLaunch: pulumi.Bool(false),
		Tags:                pulumi.ToStringMap(tags),
	}
	n.addIPv6(args, ipv6)
	subnet, err := ec2.NewSubnet(n.ctx, n.child(part), args, append(opts, n.parent())...)
	if err != nil {
		return nil, err
	}
	_, err = ec2.NewRouteTableAssociation(n.ctx, n.child(part), &ec2.RouteTableAssociationArgs{
		SubnetId:     subnet.ID(),
		RouteTableId: table.ID(),
	}, n.parent())
	return subnet, err
}

// privateSide has the private subnets and their route tables, by zone.
type privateSide struct {
	subnets map[string]*ec2.Subnet
	tables  map[string]*ec2.RouteTable
}

// privateSide creates a private subnet per zone, each with its own route table and a default route to the zone's NAT
// gateway or to the single one. A public-only network has no private subnets.
func (n *newVPC) privateSide(vpc *ec2.Vpc, gateways map[string]*ec2.NatGateway) (*privateSide, error) {
	side := &privateSide{subnets: map[string]*ec2.Subnet{}, tables: map[string]*ec2.RouteTable{}}
	subnetIDs, tableIDs := pulumi.StringMap{}, pulumi.StringMap{}
	zones := n.zones
	if n.args.publicOnly() {
		zones = nil
	}
	for _, zone := range zones {
		part := "private-" + zone.name
		name := n.args.Prefix + "-" + part
		table, err := ec2.NewRouteTable(n.ctx, n.child(part), &ec2.RouteTableArgs{
			VpcId: vpc.ID(),
			Tags:  n.tags(name),
		}, n.parent())
		if err != nil {
			return nil, err
		}
		tags := n.args.Tagging.PrivateSubnet(name)
		ipv6 := func(l layout.IPv6) string { return l.Private(zone.slot) }
		subnet, err := n.subnet(part, vpc, zone, n.layout.Private(zone.slot), ipv6, tags, table)
		if err != nil {
			return nil, err
		}
		if err := n.natRoute(part, zone, table, gateways); err != nil {
			return nil, err
		}
		n.created = append(n.created, clusterSubnet{part, subnet, tags})
		side.subnets[zone.name], side.tables[zone.name] = subnet, table
		subnetIDs[zone.name] = subnet.ID().ToStringOutput()
		tableIDs[zone.name] = table.ID().ToStringOutput()
	}
	n.out.PrivateSubnetIDs = subnetIDs.ToStringMapOutput()
	n.out.PrivateRouteTableIDs = tableIDs.ToStringMapOutput()
	return side, nil
}

func (n *newVPC) natRoute(
	part string,
	zone placedZone,
	table *ec2.RouteTable,
	gateways map[string]*ec2.NatGateway,
) error {
	gateway, own := gateways[zone.name]
	if !own {
		gateway = gateways[n.zones[0].name]
	}
	if gateway == nil {
		return nil
	}
	_, err := ec2.NewRoute(n.ctx, n.child(part+"-nat"), &ec2.RouteArgs{
		RouteTableId:         table.ID(),
		DestinationCidrBlock: pulumi.String(anywhere),
		NatGatewayId:         gateway.ID(),
	}, n.parent(), n.sameRoute(zone.name, anywhere))
	return err
}

// secondarySide adds the second CIDR to the VPC, with a node subnet in each zone that uses the route table of the
// zone's first one.
func (n *newVPC) secondarySide(vpc *ec2.Vpc, private *privateSide) error {
	subnetsByZone := map[string]*ec2.Subnet{}
	if n.args.SecondaryCIDR == "" {
		return nil
	}
	subnets, err := layout.NewSecondary(n.args.SecondaryCIDR, n.layout, n.args.Reserved)
	if err != nil {
		return err
	}
	association, err := ec2.NewVpcIpv4CidrBlockAssociation(n.ctx, n.child("secondary"),
		&ec2.VpcIpv4CidrBlockAssociationArgs{
			VpcId:     vpc.ID(),
			CidrBlock: pulumi.String(n.args.SecondaryCIDR),
		}, n.parent())
	if err != nil {
		return err
	}
	for _, zone := range n.zones {
		part := "secondary-" + zone.name
		tags := n.args.Tagging.PrivateSubnet(n.args.Prefix + "-" + part)
		ipv6 := func(l layout.IPv6) string { return l.Secondary(zone.slot) }
		if subnetsByZone[zone.name], err = n.subnet(part, vpc, zone, subnets.Subnet(zone.slot), ipv6, tags,
			private.tables[zone.name], pulumi.DependsOn([]pulumi.Resource{association})); err != nil {
			return err
		}
		n.created = append(n.created, clusterSubnet{part, subnetsByZone[zone.name], tags})
	}
	block := association.CidrBlock
	n.cidrs = append(n.cidrs, nodeCIDR{suffix: "-secondary", block: block})
	n.cidrInputs = append(n.cidrInputs, pulumi.String(n.args.SecondaryCIDR))
	n.out.SecondaryCIDR, n.out.SecondarySubnetIDs = block, stringMap(ids(subnetsByZone))
	return nil
}

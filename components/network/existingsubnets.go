package network

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/input"
)

// minFreeAddresses is how many free addresses a load balancer needs in each of its subnets. Source: the
// Elastic Load Balancing user guide, "Subnets for your load balancer".
const minFreeAddresses = 8

// givenSubnet is one of the existing subnets.
type givenSubnet struct {
	path, id, zone string
	// public is set for subnets with a route to an internet gateway, nodes for the subnets of nodes.
	public, nodes bool
}

func (args *GuestNetworkArgs) givenSubnets() []givenSubnet {
	var given []givenSubnet
	for i, subnets := range args.Existing.Subnets {
		if input.IsSet(subnets.Private) {
			given = append(given, givenSubnet{path: fmt.Sprintf("[%d].private", i), id: input.Text(subnets.Private), zone: subnets.Zone, nodes: true})
		}
		if input.IsSet(subnets.Public) && args.EndpointAccess.HasPublic() {
			given = append(given, givenSubnet{path: fmt.Sprintf("[%d].public", i), id: input.Text(subnets.Public), zone: subnets.Zone,
				public: true, nodes: args.PublicOnly})
		}
	}
	return given
}

// findSubnets checks the VPC, the zone, the free addresses and the routes of each subnet.
func (b *builder) findSubnets() error {
	var faults fault.Faults
	for _, given := range b.args.givenSubnets() {
		subnet, err := ec2.LookupSubnet(b.ctx, &ec2.LookupSubnetArgs{Id: &given.id}, b.parent())
		if err != nil {
			faults.Join(given.path, lookupFault(given.id, err, "use a subnet of this account and region"))
			continue
		}
		if vpc := input.Text(b.args.Existing.VPCID); subnet.VpcId != vpc {
			faults.Add(given.path, given.id, "is in "+subnet.VpcId, "use a subnet of "+vpc)
			continue // the other checks are about the VPC
		}
		if subnet.AvailabilityZone != given.zone {
			faults.Add(given.path, given.id, "is in zone "+subnet.AvailabilityZone, "use a subnet in "+given.zone)
		}
		if free := subnet.AvailableIpAddressCount; free < minFreeAddresses && !b.clusterExists(given, subnet.Tags) {
			faults.Add(given.path, given.id, fmt.Sprintf("has %d free addresses", free),
				fmt.Sprintf("use a subnet with at least %d: a load balancer needs them to scale", minFreeAddresses))
		}
		if given.nodes {
			faults.Join(given.path, b.checkMachineCIDR(subnet))
		}
		faults.Join(given.path, b.checkRoutes(given))
	}
	return faults.Err()
}

// clusterExists reports whether the cluster already has a private zone for the VPC. Its nodes and load balancers may then use
// the addresses that must be free for a new cluster.
func (b *builder) clusterExists(given givenSubnet, tags map[string]string) bool {
	if !b.profile.hosted { // the cluster's provider tags its subnets
		if given.public {
			return carries(tags, b.profile.tagging.PublicSubnet("", given.nodes))
		}
		return carries(tags, b.profile.tagging.PrivateSubnet(""))
	}
	name, private, vpcID := b.privateZoneName(), true, input.Text(b.args.Existing.VPCID)
	_, err := route53.LookupZone(b.ctx, &route53.LookupZoneArgs{
		Name: &name, PrivateZone: &private, VpcId: &vpcID, Tags: b.args.Cluster.ZoneTags(),
	}, b.parent())
	return err == nil
}

// checkMachineCIDR finds the VPC's CIDR that contains the subnet. It must be the same for all node subnets, because
// HyperShift's infra document has one machine network.
func (b *builder) checkMachineCIDR(subnet *ec2.LookupSubnetResult) error {
	if !b.profile.hosted {
		return nil
	}
	address, err := netip.ParsePrefix(subnet.CidrBlock)
	if err != nil {
		return &fault.Fault{Value: subnet.Id, Problem: "has no IPv4 CIDR", Remedy: "use a subnet that has one"}
	}
	vpc := b.found.existing.now
	for _, association := range vpc.CidrBlockAssociations {
		block, err := netip.ParsePrefix(association.CidrBlock)
		if err != nil || !block.Contains(address.Addr()) {
			continue
		}
		if vpc.machineCIDR == "" {
			vpc.machineCIDR = block.String()
		}
		if vpc.machineCIDR != block.String() {
			return &fault.Fault{Value: subnet.Id, Problem: fmt.Sprintf("is in %s, but other node subnets are in %s", block, vpc.machineCIDR),
				Remedy: "use node subnets in one CIDR of the VPC"}
		}
	}
	return nil
}

// checkRoutes checks the subnet's default route.
func (b *builder) checkRoutes(given givenSubnet) error {
	table, err := ec2.LookupRouteTable(b.ctx, &ec2.LookupRouteTableArgs{SubnetId: &given.id}, b.parent())
	if err != nil && given.public && !b.profile.hosted {
		return &fault.Fault{Value: given.id, Problem: "is associated with no route table, and uses the VPC's main one, which does not make it a public subnet for Cluster API",
			Remedy: "associate it with a table that has a route of " + anywhere + " to the internet gateway"}
	}
	if err != nil { // a subnet without an associated table uses the VPC's main table
		table, err = ec2.LookupRouteTable(b.ctx, &ec2.LookupRouteTableArgs{RouteTableId: &b.found.existing.now.MainRouteTableId}, b.parent())
	}
	if err != nil {
		return lookupFault(given.id, fmt.Errorf("its route table: %w", err), "use a subnet with a route table")
	}
	if !given.public {
		b.found.existing.now.privateTables[given.zone] = table.RouteTableId
	}
	target := ""
	for _, route := range table.Routes {
		if route.CidrBlock == anywhere {
			target = route.GatewayId + route.NatGatewayId + route.TransitGatewayId + route.VpcPeeringConnectionId +
				route.NetworkInterfaceId + route.InstanceId + route.VpcEndpointId + route.LocalGatewayId + route.CarrierGatewayId + route.CoreNetworkArn
		}
	}
	internet := strings.HasPrefix(target, "igw-")
	switch {
	case given.public && !internet:
		return &fault.Fault{Value: given.id, Problem: "has no route to an internet gateway in " + table.RouteTableId,
			Remedy: "use a public subnet, or add a route for " + anywhere + " to the VPC's internet gateway"}
	case !given.public && internet:
		return &fault.Fault{Value: given.id, Problem: "routes to the internet gateway " + target + ", which only forwards traffic from public addresses",
			Remedy: "use a subnet with a route to a NAT gateway, or one as public and publicOnly"}
	case !given.public && target == "" && b.args.Proxy == nil && !b.args.isolated() && !b.profile.publicMachines:
		return &fault.Fault{Value: given.id, Problem: "has no route out of the VPC in " + table.RouteTableId,
			Remedy: "use a subnet with a route for " + anywhere + ", nat None, or a proxy"}
	}
	return nil
}

package network

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// minFreeAddresses is how many free addresses a load balancer needs in each of its subnets. Source: the
// Elastic Load Balancing user guide, "Subnets for your load balancer".
const minFreeAddresses = 8

// existingSubnet is one of the existing subnets.
type existingSubnet struct {
	path, id, zone string
	// public is set for subnets with a route to an internet gateway, nodes for the subnets of nodes.
	public, nodes bool
}

func (args *BaseNetworkArgs) existingSubnets() []existingSubnet {
	var found []existingSubnet
	for i, subnets := range args.Existing.Subnets {
		if input.IsSet(subnets.Private) {
			found = append(found, existingSubnet{path: fmt.Sprintf("[%d].private", i), id: input.Text(subnets.Private), zone: subnets.Zone, nodes: true})
		}
		if input.IsSet(subnets.Public) && args.PublicSubnets {
			found = append(found, existingSubnet{path: fmt.Sprintf("[%d].public", i), id: input.Text(subnets.Public), zone: subnets.Zone,
				public: true, nodes: args.publicOnly()})
		}
	}
	return found
}

// findSubnets checks the VPC, the zone, the free addresses and the routes of each subnet.
func (c *vpcCheck) findSubnets() error {
	var faults fault.Faults
	for _, found := range c.args.existingSubnets() {
		subnet, err := ec2.LookupSubnet(c.ctx, &ec2.LookupSubnetArgs{Id: &found.id}, c.parent())
		if err != nil {
			faults.Join(found.path, lookupFault(found.id, err, "use a subnet of this account and region"))
			continue
		}
		if vpc := input.Text(c.args.Existing.VPCID); subnet.VpcId != vpc {
			faults.Add(found.path, found.id, "is in "+subnet.VpcId, "use a subnet of "+vpc)
			continue // the other checks are about the VPC
		}
		c.vpc.subnets = append(c.vpc.subnets, foundSubnet{found, subnet.Tags})
		if subnet.AvailabilityZone != found.zone {
			faults.Add(found.path, found.id, "is in zone "+subnet.AvailabilityZone, "use a subnet in "+found.zone)
		}
		if free := subnet.AvailableIpAddressCount; free < minFreeAddresses && !c.inUse(c, found, subnet.Tags) {
			faults.Add(found.path, found.id, fmt.Sprintf("has %d free addresses", free),
				fmt.Sprintf("use a subnet with at least %d: a load balancer needs them to scale", minFreeAddresses))
		}
		if found.nodes {
			faults.Join(found.path, c.checkMachineCIDR(subnet))
		}
		faults.Join(found.path, c.checkRoutes(found))
	}
	return faults.Err()
}

// isTagged reports whether a subnet has the tags that the cluster's provider, or the stack, sets on an existing subnet. The cluster's machines and
// load balancers may then use the addresses that must be free for a new cluster.
func isTagged(c *vpcCheck, subnet existingSubnet, tags map[string]string) bool {
	return carries(tags, c.args.Tagging.Discovery(subnet.public, subnet.nodes))
}

// checkMachineCIDR finds the VPC's CIDR that contains the subnet. It must be the same for all node subnets, because
// HyperShift's infra document has one machine network.
func (c *vpcCheck) checkMachineCIDR(subnet *ec2.LookupSubnetResult) error {
	if !c.args.OneMachineCIDR {
		return nil
	}
	address, err := netip.ParsePrefix(subnet.CidrBlock)
	if err != nil {
		return &fault.Fault{Value: subnet.Id, Problem: "has no IPv4 CIDR", Remedy: "use a subnet that has one"}
	}
	vpc := c.vpc
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
func (c *vpcCheck) checkRoutes(found existingSubnet) error {
	table, err := ec2.LookupRouteTable(c.ctx, &ec2.LookupRouteTableArgs{SubnetId: &found.id}, c.parent())
	if err != nil && found.public && c.args.ExplicitRouteTables {
		return &fault.Fault{Value: found.id, Problem: "is associated with no route table, and uses the VPC's main one, which does not make it a public subnet for Cluster API",
			Remedy: "associate it with a table that has a route of " + anywhere + " to the internet gateway"}
	}
	if err != nil { // a subnet without an associated table uses the VPC's main table
		table, err = ec2.LookupRouteTable(c.ctx, &ec2.LookupRouteTableArgs{RouteTableId: &c.vpc.MainRouteTableId}, c.parent())
	}
	if err != nil {
		return lookupFault(found.id, fmt.Errorf("its route table: %w", err), "use a subnet with a route table")
	}
	if !found.public {
		c.vpc.privateTables[found.zone] = table.RouteTableId
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
	case found.public && !internet:
		return &fault.Fault{Value: found.id, Problem: "has no route to an internet gateway in " + table.RouteTableId,
			Remedy: "use a public subnet, or add a route for " + anywhere + " to the VPC's internet gateway"}
	case !found.public && internet:
		return &fault.Fault{Value: found.id, Problem: "routes to the internet gateway " + target + ", which only forwards traffic from public addresses",
			Remedy: "use a subnet with a route to a NAT gateway, or one as public and publicOnly"}
	case !found.public && target == "" && !c.args.ProxiedEgress && !c.args.isolated() && !c.args.PublicMachines:
		return &fault.Fault{Value: found.id, Problem: "has no route out of the VPC in " + table.RouteTableId,
			Remedy: "use a subnet with a route for " + anywhere + ", nat None, or a proxy"}
	}
	return nil
}

package network

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// minFreeAddresses is how many free addresses a load balancer needs in each of its subnets. Source: the
// Elastic Load Balancing user guide, "Subnets for your load balancer".
const minFreeAddresses = 8

// existingSubnet is one of the existing subnets: where the args name it, the zone that they give it, and what was found
// of it.
type existingSubnet struct {
	path, givenZone string
	SubnetFacts
}

func (args *BaseNetworkArgs) existingSubnets() []existingSubnet {
	var found []existingSubnet
	for i, subnets := range args.Existing.Subnets {
		if input.IsSet(subnets.Private) {
			found = append(found, existingSubnet{fmt.Sprintf("subnets[%d].private", i), subnets.Zone,
				SubnetFacts{ID: input.Text(subnets.Private), Nodes: true}})
		}
		if input.IsSet(subnets.Public) && args.PublicSubnets {
			found = append(found, existingSubnet{fmt.Sprintf("subnets[%d].public", i), subnets.Zone,
				SubnetFacts{ID: input.Text(subnets.Public), Public: true, Nodes: args.publicOnly()}})
		}
	}
	for i, further := range args.Existing.Further {
		found = append(found, existingSubnet{fmt.Sprintf("further[%d]", i), further.Zone,
			SubnetFacts{ID: input.Text(further.ID), Public: args.publicOnly(), Nodes: true}})
	}
	return found
}

// findSubnets checks the VPC, the zone, the free addresses and the routes of each subnet.
func (c *vpcCheck) findSubnets() error {
	var faults fault.Faults
	vpc := input.Text(c.args.Existing.VPCID)
	for _, found := range c.args.existingSubnets() {
		subnet, err := ec2.LookupSubnet(c.ctx, &ec2.LookupSubnetArgs{Id: &found.ID}, c.parent())
		if err != nil {
			faults.Join(found.path, lookupFault(found.ID, err, "use a subnet of this account and region"))
			continue
		}
		found.VPC, found.Zone, found.ZoneID, found.Tags = subnet.VpcId, subnet.AvailabilityZone, subnet.AvailabilityZoneId,
			subnet.Tags
		found.Outpost = subnet.OutpostArn
		if found.VPC == vpc {
			if free := subnet.AvailableIpAddressCount; free < minFreeAddresses && !c.inUse(c, found) {
				faults.Add(found.path, found.ID, fmt.Sprintf("has %d free addresses", free),
					fmt.Sprintf("use a subnet with at least %d: a load balancer needs them to scale", minFreeAddresses))
			}
			if found.Nodes {
				faults.Join(found.path, c.checkMachineCIDR(subnet))
			}
			if err := c.findRoute(&found); err != nil {
				faults.Join(found.path, lookupFault(found.ID, fmt.Errorf("its route table: %w", err),
					"use a subnet with a route table"))
				continue
			}
			c.vpc.subnets = append(c.vpc.subnets, found)
		}
		faults.Join(found.path, c.args.CheckSubnet(found.SubnetFacts, vpc, found.givenZone))
	}
	return faults.Err()
}

// isTagged reports whether a subnet has the tags that the cluster's provider, or the stack, sets on an existing subnet.
// The cluster's machines and load balancers may then use the addresses that must be free for a new cluster.
func isTagged(c *vpcCheck, subnet existingSubnet) bool {
	return carries(subnet.Tags, c.args.Tagging.Discovery(subnet.Public, subnet.Nodes))
}

// checkMachineCIDR finds the VPC's CIDR that contains the subnet. A HostedCluster lists the CIDRs of all node subnets;
// HyperShift's infra document has the first. If the IDs are outputs, it must be the same for all node subnets, because
// the number of CIDRs decides which security group rules there are.
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
		if !slices.Contains(vpc.machineCIDRs, block.String()) {
			vpc.machineCIDRs = append(vpc.machineCIDRs, block.String())
		}
		if len(vpc.machineCIDRs) > 1 && !c.plain {
			return &fault.Fault{Value: subnet.Id,
				Problem: fmt.Sprintf("is in %s, but other node subnets are in %s", block, vpc.machineCIDRs[0]),
				Remedy:  "use node subnets in one CIDR of the VPC, or plain IDs"}
		}
	}
	return nil
}

// findRoute looks up the route table of a subnet: its own, otherwise the VPC's main one.
func (c *vpcCheck) findRoute(found *existingSubnet) error {
	table, err := ec2.LookupRouteTable(c.ctx, &ec2.LookupRouteTableArgs{SubnetId: &found.ID}, c.parent())
	if err != nil {
		found.MainTable = true
		table, err = ec2.LookupRouteTable(c.ctx, &ec2.LookupRouteTableArgs{RouteTableId: &c.vpc.MainRouteTableId}, c.parent())
	}
	if err != nil {
		return err
	}
	found.Table, found.Route = table.RouteTableId, c.wayOut(table)
	return nil
}

// wayOut returns the target of a table's routes to the internet. It reads the prefix lists of routes only if the other
// routes do not have all public addresses, and trusts a list that cannot be read.
func (c *vpcCheck) wayOut(table *ec2.LookupRouteTableResult) string {
	type listed struct{ list, target string }
	var routes []TableRoute
	var byList []listed
	for _, route := range table.Routes {
		target := route.GatewayId + route.NatGatewayId + route.TransitGatewayId + route.VpcPeeringConnectionId +
			route.NetworkInterfaceId + route.InstanceId + route.VpcEndpointId + route.LocalGatewayId + route.CarrierGatewayId +
			route.CoreNetworkArn
		switch {
		case route.DestinationPrefixListId == "":
			routes = append(routes, TableRoute{[]string{route.CidrBlock}, target})
		case !strings.HasPrefix(route.GatewayId, "vpce-"): // of a gateway endpoint, the list is a service's
			byList = append(byList, listed{route.DestinationPrefixListId, target})
		}
	}
	way := WayOut(routes)
	for i := 0; way == "" && i < len(byList); i++ {
		list, target := byList[i].list, byList[i].target
		found, err := ec2.LookupManagedPrefixList(c.ctx, &ec2.LookupManagedPrefixListArgs{Id: &list}, c.parent())
		if err != nil {
			remedy := awsprovider.Remedy(err, "check that it has all public addresses")
			c.warn(fmt.Sprintf("the route of %s to %s is not judged, since the prefix list cannot be looked up: %s; %s",
				table.RouteTableId, list, awsprovider.Cause(err), remedy))
			return target
		}
		var cidrs []string
		for _, entry := range found.Entries {
			cidrs = append(cidrs, entry.Cidr)
		}
		routes = append(routes, TableRoute{cidrs, target})
		way = WayOut(routes)
	}
	return way
}

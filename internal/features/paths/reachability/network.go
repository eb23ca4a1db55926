package reachability

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

// Network is a VPC. What it does not contain, such as a gateway of another account, is not modelled.
type Network struct {
	// VPCID is its ID, and CIDRs its CIDRs.
	VPCID   string
	CIDRs   []netip.Prefix
	Subnets []Subnet
	// ACLs and Tables are its subnets' network ACLs and route tables, by ID. Edge is the ID of the route table of traffic
	// from the internet gateway, "" for none.
	ACLs   map[string]ACL
	Tables map[string]Table
	Edge   string
	// Gateways are the targets of routes, by ID.
	Gateways map[string]Gateway
	// PrefixLists are the CIDRs of prefix lists, by ID.
	PrefixLists map[string][]netip.Prefix
}

// Subnet is a subnet with the IDs of its network ACL and route table.
type Subnet struct {
	ID, Zone   string
	CIDR       netip.Prefix
	ACL, Table string
}

// ACL is a network ACL. The rules may be in any order; what none matches is denied.
type ACL struct{ Ingress, Egress []Rule }

// Rule is a rule of a network ACL for TCP or for all protocols.
type Rule struct {
	Number int
	Allow  bool
	// CIDR is the other end's; Ports are the ports at which packets are sent.
	CIDR  netip.Prefix
	Ports Range
}

// Table is the routes of a table.
type Table []Route

// Route is a route to a target: the ID of a gateway, or "local".
type Route struct {
	// CIDR or the ID of a PrefixList is the destination.
	CIDR       netip.Prefix
	PrefixList string
	Target     string
	// Blackhole is true if the target does not exist.
	Blackhole bool
}

// Kind is what a gateway is.
type Kind string

const (
	// InternetGateway is an internet gateway that is attached to the VPC.
	InternetGateway Kind = "internet gateway"
	// NATGateway is a NAT gateway, in one subnet.
	NATGateway Kind = "NAT gateway"
	// TransitGateway is a transit gateway to which the VPC is attached, in the subnets.
	TransitGateway Kind = "transit gateway"
	// FirewallEndpoint is an endpoint of a Gateway Load Balancer, in one subnet: of AWS Network Firewall, or of an
	// appliance.
	FirewallEndpoint Kind = "firewall endpoint"
	// VirtualPrivateGateway is a virtual private gateway that is attached to the VPC: of a VPN, or of Direct Connect.
	VirtualPrivateGateway Kind = "virtual private gateway"
	// PeeringConnection is a peering connection with another VPC.
	PeeringConnection Kind = "peering connection"
	// GatewayEndpoint is an endpoint for S3 or DynamoDB.
	GatewayEndpoint Kind = "gateway endpoint"
)

// Gateway is the target of a route.
type Gateway struct {
	Kind    Kind
	Subnets []string
	// Address is the private address of a NAT gateway; invalid if it is not known. Private is true for one without a
	// public address, whose traffic an internet gateway drops.
	Address netip.Addr
	Private bool
	// Down is why it passes no traffic, "" if it does.
	Down string
	// OneArm is true if a firewall is known to return packets to its endpoint, as AWS Network Firewall does. Others may
	// have a second interface, by which packets leave for a network that is not modelled: the walk follows what happens if
	// they do not.
	OneArm bool
}

func (n *Network) subnet(id string) (Subnet, bool) {
	i := slices.IndexFunc(n.Subnets, func(s Subnet) bool { return s.ID == id })
	if i < 0 {
		return Subnet{}, false
	}
	return n.Subnets[i], true
}

// destination is one CIDR of a route.
type destination struct {
	Range
	bits  int
	route Route
}

// destinations returns the CIDRs of a table's routes in the order in which they are used: the longest first, and a CIDR
// before the same one in a prefix list. unknown are the IDs of prefix lists whose CIDRs are not known.
func (n *Network) destinations(table Table) (found []destination, unknown []string) {
	for _, route := range table {
		if route.PrefixList == "" {
			found = append(found, destination{CIDRRange(route.CIDR), route.CIDR.Bits(), route})
			continue
		}
		cidrs, known := n.PrefixLists[route.PrefixList]
		if !known {
			unknown = append(unknown, route.PrefixList)
		}
		for _, cidr := range cidrs {
			found = append(found, destination{CIDRRange(cidr), cidr.Bits(), route})
		}
	}
	slices.SortStableFunc(found, func(a, b destination) int {
		return cmp.Or(cmp.Compare(b.bits, a.bits), strings.Compare(a.route.PrefixList, b.route.PrefixList))
	})
	return found, unknown
}

func (r Rule) compare(other Rule) int { return cmp.Compare(r.Number, other.Number) }

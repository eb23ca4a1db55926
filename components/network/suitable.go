package network

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

// VPCFacts are what decides whether an existing VPC is suitable for a network.
type VPCFacts struct {
	// ID is the VPC's ID, "vpc-…", and Region its region.
	ID, Region string
	// DNSSupport and DNSHostnames are its DNS attributes.
	DNSSupport, DNSHostnames bool
	// CIDRs are its IPv4 CIDRs, the primary one first.
	CIDRs []string
	// DHCPOptions is the ID of its DHCP options set, "dopt-…", with the DNS servers and the domain name.
	DHCPOptions string
	DNSServers  []string
	DomainName  string
}

// amazonDNS means the VPC's own resolver in DHCP options.
const amazonDNS = "AmazonProvidedDNS"

// CheckVPC returns a fault for each reason why an existing VPC is not suitable: it does not support the DNS names of
// PrivateLink and of nodes, or overlaps a reserved network. Only Amazon's resolver resolves names in private zones;
// other servers must forward them to it. The domain name is part of the names of nodes, which Kubernetes requires in
// lower case.
func (args *BaseNetworkArgs) CheckVPC(vpc VPCFacts) error {
	var faults fault.Faults
	for _, attribute := range []struct {
		name, flag string
		enabled    bool
	}{{"enableDnsSupport", "--enable-dns-support", vpc.DNSSupport},
		{"enableDnsHostnames", "--enable-dns-hostnames", vpc.DNSHostnames}} {
		if !attribute.enabled {
			faults.Add("", vpc.ID, "has "+attribute.name+" turned off, so nodes cannot resolve names in private zones",
				"enable it: aws ec2 modify-vpc-attribute --vpc-id "+vpc.ID+" "+attribute.flag)
		}
	}
	for _, cidr := range vpc.CIDRs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			continue
		}
		for _, taken := range args.Reserved {
			if taken.Prefix.Overlaps(prefix) {
				faults.Add("", vpc.ID, fmt.Sprintf("has the CIDR %s, which overlaps %s, %s", cidr, taken.Prefix, taken.Use),
					"use a VPC that does not overlap it, or another network inside the cluster")
			}
		}
	}
	if unknown := args.otherServers(vpc); len(unknown) > 0 && !vpc.isResolver(vpc.DNSServers[0]) {
		faults.Add("", vpc.DHCPOptions, "is the VPC's DHCP options set, with the DNS servers "+strings.Join(unknown, ", ")+
			", which do not resolve names in private zones", "use a DHCP options set with domainNameServers "+amazonDNS+
			", or list them in existing.dnsServers if they forward these names to the VPC's resolver")
	}
	if name := vpc.DomainName; name != strings.ToLower(name) || strings.ContainsAny(name, " ,;") {
		faults.Add("", vpc.DHCPOptions, fmt.Sprintf("is the VPC's DHCP options set, with the domain name %q, which is not valid in a node's name", name),
			"use one domain name in lower case, such as "+DefaultDHCPDomainName(vpc.Region))
	}
	return faults.Err()
}

// isResolver reports whether a DNS server is the VPC's own resolver: by its name, its address in each VPC, or the third
// address of the primary CIDR.
// https://docs.aws.amazon.com/vpc/latest/userguide/AmazonDNS-concepts.html
func (vpc VPCFacts) isResolver(server string) bool {
	if server == amazonDNS || server == "169.254.169.253" {
		return true
	}
	if len(vpc.CIDRs) == 0 {
		return false
	}
	primary, err := netip.ParsePrefix(vpc.CIDRs[0])
	return err == nil && primary.Masked().Addr().Next().Next().String() == server
}

// Doubt is what may be wrong with an existing resource.
type Doubt struct {
	// Is is what is unusual about it ("has …"), Effect what it may break, and Remedy what to do.
	Is, Effect, Remedy string
}

// VPCDoubts returns what may be wrong with a suitable VPC: a CIDR of the internet, and DHCP options with other DNS
// servers behind the VPC's resolver, without a domain name, or with that of another region.
// https://docs.aws.amazon.com/vpc/latest/userguide/DHCPOptionSetConcepts.html
func (args *BaseNetworkArgs) VPCDoubts(vpc VPCFacts) []Doubt {
	var doubts []Doubt
	for _, cidr := range vpc.CIDRs {
		for _, doubt := range args.cidrDoubts(cidr) {
			doubt.Is = "has the CIDR " + cidr + ", which " + doubt.Is
			doubts = append(doubts, doubt)
		}
	}
	if others := args.otherServers(vpc); len(others) > 0 && vpc.isResolver(vpc.DNSServers[0]) {
		doubts = append(doubts, Doubt{"has the DHCP options set " + vpc.DHCPOptions + " with the DNS servers " +
			strings.Join(others, ", ") + " behind the VPC's resolver",
			"a node that asks them does not resolve names in private zones",
			"use a DHCP options set with domainNameServers " + amazonDNS + " alone"})
	}
	return append(doubts, vpc.domainDoubts()...)
}

// cidrDoubts returns what may be wrong with a VPC's CIDR: "is in …", "overlaps …".
func (args *BaseNetworkArgs) cidrDoubts(cidr string) (doubts []Doubt) {
	if layout.IsPublic(cidr) {
		doubts = append(doubts, Doubt{"is in the public address space",
			"nodes and pods cannot reach the hosts on the internet that have these addresses, unless they are yours",
			"use a network in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10"})
	}
	prefix, err := netip.ParsePrefix(cidr)
	for _, possible := range args.Possible {
		if err == nil && possible.Prefix.Overlaps(prefix) {
			doubts = append(doubts, Doubt{fmt.Sprintf("overlaps %s, HyperShift's default for %s", possible.Prefix.Addr(),
				possible.Use),
				"HyperShift's operator refuses such a cluster", "set another address there, or use another network for the VPC"})
		}
	}
	return doubts
}

// otherServers returns the DNS servers of DHCP options that are neither the VPC's resolver nor listed in the args.
func (args *BaseNetworkArgs) otherServers(vpc VPCFacts) []string {
	return slices.DeleteFunc(slices.Clone(vpc.DNSServers), func(server string) bool {
		return slices.Contains(args.Existing.DNSServers, server) || vpc.isResolver(server)
	})
}

// domainDoubts returns what may be wrong with the domain name of the VPC's DHCP options.
func (vpc VPCFacts) domainDoubts() []Doubt {
	const effect = "a node's name may differ from the private DNS name that EC2 knows, so that the cloud controller does not find its instance"
	own := DefaultDHCPDomainName(vpc.Region)
	remedy := "use a DHCP options set with the domain name " + own
	switch name := vpc.DomainName; {
	case vpc.DHCPOptions == "" || vpc.DHCPOptions == "default" || name == own:
	case name == "":
		return []Doubt{{"has the DHCP options set " + vpc.DHCPOptions + ", which has no domain name", effect, remedy}}
	case name == DefaultDHCPDomainName("us-east-1") || strings.HasSuffix(name, ".compute.internal"):
		return []Doubt{{"has the DHCP options set " + vpc.DHCPOptions + " with another region's domain name, " + name, effect,
			remedy}}
	}
	return nil
}

// SubnetFacts are what decides whether an existing subnet is suitable for a network.
type SubnetFacts struct {
	// ID is the subnet's ID, "subnet-…".
	ID string
	// Public is true for a subnet of load balancers on the internet, and Nodes for one with machines.
	Public, Nodes bool
	// VPC is the ID of its VPC, and Zone and ZoneID are its zone's name and ID.
	VPC, Zone, ZoneID string
	// Outpost is the ARN of the Outpost that it is on, "" for none.
	Outpost string
	// Tags are those that it has.
	Tags map[string]string
	// Table is the ID of its route table; MainTable is true if that is the VPC's main one, because the subnet is
	// associated with none.
	Table     string
	MainTable bool
	// Route is the target of its routes to the internet, such as "igw-…"; "" without one: see WayOut.
	Route string
}

// CheckSubnet returns a fault for each reason why an existing subnet is not suitable: it is not in the VPC or the zone,
// or its default route is not that of a public or a private subnet. vpc is "" if the VPC's ID is not known.
func (args *BaseNetworkArgs) CheckSubnet(subnet SubnetFacts, vpc, zone string) error {
	if vpc != "" && subnet.VPC != vpc { // the other checks are about the VPC
		return &fault.Fault{Value: subnet.ID, Problem: "is in " + subnet.VPC, Remedy: "use a subnet of " + vpc}
	}
	var faults fault.Faults
	if zone != subnet.Zone && zone != subnet.ZoneID {
		faults.Add("", subnet.ID, "is in zone "+subnet.Zone, "use a subnet in "+zone)
	}
	if subnet.Outpost != "" {
		faults.Add("", subnet.ID, "is on the Outpost "+subnet.Outpost+
			", where neither HyperShift nor Cluster API has machines",
			"use a subnet in the region's own zone "+zone)
	}
	internet := strings.HasPrefix(subnet.Route, "igw-")
	needsWay := !subnet.Public && !args.ProxiedEgress && !args.isolated() && !args.PublicMachines
	switch {
	case subnet.Public && subnet.MainTable && args.ExplicitRouteTables:
		faults.Add("", subnet.ID, "is associated with no route table, and uses the VPC's main one, which does not make it a public subnet for Cluster API",
			"associate it with a table that has a route of "+anywhere+" to the internet gateway")
	case subnet.Public && !internet:
		faults.Add("", subnet.ID, "has no route to an internet gateway in "+subnet.Table,
			"use a public subnet, or add a route for "+anywhere+" to the VPC's internet gateway")
	case !subnet.Public && internet:
		faults.Add("", subnet.ID, "routes to the internet gateway "+subnet.Route+
			", which only forwards traffic from public addresses",
			"use a subnet with a route to a NAT gateway, or one as public and publicOnly")
	case needsWay && strings.HasPrefix(subnet.Route, "pcx-"):
		faults.Add("", subnet.ID, "routes to the internet by the peering connection "+subnet.Route+
			", which only carries traffic to addresses of the peered VPC",
			"use a subnet with a route for "+anywhere+" to a NAT gateway or a transit gateway, nat None, or a proxy")
	case needsWay && subnet.Route == "":
		faults.Add("", subnet.ID, "has no route out of the VPC in "+subnet.Table,
			"use a subnet with a route for "+anywhere+", nat None, or a proxy")
	}
	return faults.Err()
}

// TableRoute is a route of a route table: its destinations, those of a prefix list or a single one, and its target.
type TableRoute struct {
	CIDRs  []string
	Target string
}

// WayOut returns the target through which a route table's routes lead to the internet, "" if some public address has no
// route. That is the target of the default route, or of routes that have all public addresses together, such as
// 0.0.0.0/1 and 128.0.0.0/1. AWS uses the most specific route: of several targets, the one for most addresses counts.
func WayOut(routes []TableRoute) string {
	const notPublic = "not public"
	blocks := map[netip.Prefix]string{}
	for _, route := range routes {
		for _, text := range route.CIDRs {
			if cidr, err := netip.ParsePrefix(text); err == nil && layout.IsPublic(text) {
				blocks[cidr.Masked()] = route.Target
			}
		}
	}
	for _, special := range layout.NotPublic() {
		blocks[special] = notPublic
	}
	addresses := map[string]uint64{}
	addRoutedTo(addresses, netip.MustParsePrefix(anywhere), slices.Collect(maps.Keys(blocks)), blocks, "")
	delete(addresses, notPublic)
	if addresses[""] > 0 {
		return ""
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(addresses)), func(a, b string) int {
		return cmp.Compare(addresses[a], addresses[b])
	})
}

// addRoutedTo adds the number of addresses in a network to those of the targets that the most specific blocks give
// them. inside are the blocks that are part of the network, and target is that of the smallest one around it.
func addRoutedTo(
	addresses map[string]uint64, network netip.Prefix, inside []netip.Prefix, blocks map[netip.Prefix]string,
	target string,
) {
	if own := slices.Index(inside, network); own >= 0 {
		target = blocks[network]
		inside = slices.Delete(slices.Clone(inside), own, own+1)
	}
	if len(inside) == 0 {
		addresses[target] += 1 << (network.Addr().BitLen() - network.Bits())
		return
	}
	for _, half := range halves(network) {
		addRoutedTo(addresses, half, slices.DeleteFunc(slices.Clone(inside), func(block netip.Prefix) bool {
			return !half.Contains(block.Addr())
		}), blocks, target)
	}
}

// halves returns the two halves of a network of several addresses.
func halves(network netip.Prefix) [2]netip.Prefix {
	bits, second := network.Bits()+1, network.Addr().As4()
	second[network.Bits()/8] |= 1 << (7 - network.Bits()%8)
	return [2]netip.Prefix{
		netip.PrefixFrom(network.Addr(), bits), netip.PrefixFrom(netip.AddrFrom4(second), bits),
	}
}

// MissingTag is a tag by which operators find subnets.
type MissingTag struct {
	// Key is the tag's key, and Without what does not work without it.
	Key, Without string
}

// SetTags is the remedy for a MissingTag.
const SetTags = "set existing.tagSubnets: true, or ask the owner of the subnets to add it"

// MissingTags returns the tags that operators need and an existing subnet does not have; none if the stack or the
// operators set them.
func (args *BaseNetworkArgs) MissingTags(subnet SubnetFacts) []MissingTag {
	if args.tagsSubnets() {
		return nil
	}
	missing := subnet.missingTags(args.discoveryTags(subnet))
	return slices.DeleteFunc(untagged(), func(tag MissingTag) bool { return !slices.Contains(missing, tag.Key) })
}

// tagsSubnets reports whether the stack or the cluster's operators tag existing subnets.
func (args *BaseNetworkArgs) tagsSubnets() bool {
	return args.Existing.TagSubnets || args.OperatorTagsSubnets
}

// CheckGroup returns a fault if an existing security group is in another VPC than it should be; "" for one that is not
// known.
func CheckGroup(id, in, vpc string) error {
	if vpc != "" && in != vpc {
		return &fault.Fault{Value: id, Problem: "is in " + in, Remedy: "use a security group in " + vpc}
	}
	return nil
}

// ZoneFacts are what decides whether an existing hosted zone is suitable for a network.
type ZoneFacts struct {
	// ID is the zone's ID, "Z…", and Name its domain without a final dot.
	ID, Name string
	// Private is true for a private zone, and Associated if it is associated with the VPC.
	Private, Associated bool
}

// Check returns a fault unless the zone is the VPC's private zone for the domain.
func (z ZoneFacts) Check(domain, vpc string) error {
	switch {
	case z.Name != domain || !z.Private:
		return &fault.Fault{Value: z.ID, Problem: "is the zone " + z.Name + ", not the private zone " + domain,
			Remedy: "use the ID of that zone, or leave it out to create it"}
	case !z.Associated:
		return &fault.Fault{Value: z.ID, Problem: "is not associated with " + vpc, Remedy: "associate it with the VPC"}
	}
	return nil
}

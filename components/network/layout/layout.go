// Package layout divides a VPC's CIDR into subnets. It is arithmetic only and makes no calls.
package layout

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// DefaultVPCCIDR is the VPC's default CIDR, the same as in HyperShift's CLI.
const DefaultVPCCIDR = "10.0.0.0/16"

// Slots is the maximum number of zones in a VPC. The VPC is divided into sixteen equal parts: eight public subnets,
// followed by eight private ones.
const Slots = 8

// The prefix lengths of a VPC's CIDR. A /16 has /20 subnets, as with HyperShift's CLI. A /24 has /28 subnets, the
// smallest that AWS allows.
const (
	LargestVPC  = 16
	SmallestVPC = 24
)

// Layout is the division of a VPC into subnets. A subnet's CIDR depends on the VPC's CIDR and on its slot, never on the
// number of zones.
type Layout struct{ vpc netip.Prefix }

// New returns the layout of the VPC with the given IPv4 CIDR, "" for DefaultVPCCIDR. It returns a fault if the CIDR is
// not a network address, is not from /16 to /24, or overlaps one of the reserved networks.
func New(vpcCIDR string, reserved []Reserved) (Layout, error) {
	if vpcCIDR == "" {
		vpcCIDR = DefaultVPCCIDR
	}
	refuse := func(problem, remedy string) (Layout, error) {
		return Layout{}, &fault.Fault{Value: vpcCIDR, Problem: problem, Remedy: remedy}
	}
	free := Free(reserved)
	vpc, err := netip.ParsePrefix(vpcCIDR)
	if err != nil || !vpc.Addr().Is4() {
		return refuse("is not an IPv4 CIDR", "use an address and a length, such as "+free)
	}
	if vpc.Masked() != vpc {
		return refuse("is not a network address", "use "+vpc.Masked().String())
	}
	if vpc.Bits() > SmallestVPC {
		return refuse("is too small: the subnets of its address plan would be smaller than a /28, which AWS does not allow",
			fmt.Sprintf("use a CIDR from /%d to /%d", LargestVPC, SmallestVPC))
	}
	if vpc.Bits() < LargestVPC {
		return refuse("is larger than AWS allows for a VPC",
			fmt.Sprintf("use a CIDR from /%d to /%d", LargestVPC, SmallestVPC))
	}
	for _, taken := range reserved {
		if taken.Prefix.Overlaps(vpc) {
			return refuse(fmt.Sprintf("overlaps %s, %s", taken.Prefix, taken.Use),
				"use a CIDR that does not overlap, such as "+free)
		}
	}
	return Layout{vpc: vpc}, nil
}

// vpcRanges are the private ranges that a VPC's first CIDR is proposed from. Source: RFC 1918.
func vpcRanges() []string { return []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"} }

// Free returns the first private /16 that overlaps none of the reserved networks, or DefaultVPCCIDR if they leave none.
func Free(reserved []Reserved) string { return freeIn(reserved, vpcRanges()) }

func freeIn(reserved []Reserved, ranges []string) string {
	for _, each := range ranges {
		within := netip.MustParsePrefix(each)
		base := within.Addr().As4()
		first := binary.BigEndian.Uint32(base[:])
		for n := range uint32(1) << (LargestVPC - within.Bits()) {
			var address [4]byte
			binary.BigEndian.PutUint32(address[:], first+n<<(32-LargestVPC))
			candidate := netip.PrefixFrom(netip.AddrFrom4(address), LargestVPC)
			if !slices.ContainsFunc(reserved, func(r Reserved) bool { return r.Prefix.Overlaps(candidate) }) {
				return candidate.String()
			}
		}
	}
	return DefaultVPCCIDR
}

// VPC returns the VPC's CIDR.
func (l Layout) VPC() string { return l.vpc.String() }

// Public returns the CIDR of the slot's public subnet.
func (l Layout) Public(slot int) string { return l.part(slot) }

// Private returns the CIDR of the slot's private subnet.
func (l Layout) Private(slot int) string { return l.part(Slots + slot) }

// Slot returns the slot of a subnet, and whether the subnet is part of this layout.
func (l Layout) Slot(subnetCIDR string) (int, bool) {
	for slot := range Slots {
		if subnetCIDR == l.Public(slot) || subnetCIDR == l.Private(slot) {
			return slot, true
		}
	}
	return 0, false
}

func (l Layout) part(i int) string {
	bits := l.vpc.Bits() + 4
	base := l.vpc.Addr().As4()
	address := binary.BigEndian.Uint32(base[:]) + uint32(i)<<(32-bits)
	var out [4]byte
	binary.BigEndian.PutUint32(out[:], address)
	return netip.PrefixFrom(netip.AddrFrom4(out), bits).String()
}

// Reserved is a network that a VPC must not overlap.
type Reserved struct {
	// Prefix is the network.
	Prefix netip.Prefix
	// Use describes the network in an error message: "the cluster network".
	Use string
}

// The default networks inside a hosted cluster, the same as in HyperShift's CLI.
const (
	DefaultClusterCIDR = "10.132.0.0/14"
	DefaultServiceCIDR = "172.31.0.0/16"
)

// The default subnets that OVN-Kubernetes uses inside a cluster.
const (
	DefaultJoinCIDR    = "100.64.0.0/16"
	DefaultTransitCIDR = "100.88.0.0/16"
)

// DefaultAdvertiseAddress is HyperShift's default for the address at which pods reach the API server on each node.
const DefaultAdvertiseAddress = "172.20.0.1"

// ClusterNetworks are the IPv4 networks inside a hosted cluster, which its VPC must not overlap. The zero value is
// HyperShift's defaults.
type ClusterNetworks struct {
	// ClusterCIDRs are the CIDRs of the pod network. Default 10.132.0.0/14.
	ClusterCIDRs []string `yaml:"-" pulumi:"clusterCIDRs,optional"`
	// ServiceCIDRs are the CIDRs of the service network. Default 172.31.0.0/16.
	ServiceCIDRs []string `yaml:"-" pulumi:"serviceCIDRs,optional"`
	// JoinCIDR is OVN-Kubernetes' join subnet, "none" with another network plugin. Default 100.64.0.0/16.
	JoinCIDR string `yaml:"-" pulumi:"joinCIDR,optional"`
	// TransitCIDR is OVN-Kubernetes' transit subnet, "none" with another network plugin. Default 100.88.0.0/16.
	TransitCIDR string `yaml:"-" pulumi:"transitCIDR,optional"`
	// AdvertiseAddress is the address at which pods reach the API server on each node, which HyperShift refuses in the
	// cluster's other networks; "none" if it is not known, because the HostedCluster is written elsewhere. Default
	// 172.20.0.1.
	AdvertiseAddress string `yaml:"-" pulumi:"advertiseAddress,optional"`
}

// AdvertiseUse describes the AdvertiseAddress in an error message.
const AdvertiseUse = "the API server's address on each node, networking.apiServer.advertiseAddress in the HostedCluster's spec"

// NoCIDR is the JoinCIDR and the TransitCIDR of a cluster without OVN-Kubernetes, and an AdvertiseAddress that is not
// known.
const NoCIDR = "none"

// WithDefaults returns n with HyperShift's defaults for unset values.
func (n ClusterNetworks) WithDefaults() ClusterNetworks {
	if len(n.ClusterCIDRs) == 0 {
		n.ClusterCIDRs = []string{DefaultClusterCIDR}
	}
	if len(n.ServiceCIDRs) == 0 {
		n.ServiceCIDRs = []string{DefaultServiceCIDR}
	}
	n.JoinCIDR, n.TransitCIDR = cmp.Or(n.JoinCIDR, DefaultJoinCIDR), cmp.Or(n.TransitCIDR, DefaultTransitCIDR)
	n.AdvertiseAddress = cmp.Or(n.AdvertiseAddress, DefaultAdvertiseAddress)
	return n
}

// AdvertiseCIDR returns the network of the AdvertiseAddress alone, "" if it is not known or not an address.
func (n ClusterNetworks) AdvertiseCIDR() string {
	address, err := netip.ParseAddr(n.WithDefaults().AdvertiseAddress)
	if err != nil {
		return ""
	}
	return netip.PrefixFrom(address, address.BitLen()).String()
}

// Validate returns a fault for each network that is not a CIDR.
func (n ClusterNetworks) Validate() error {
	var faults fault.Faults
	check := func(path, cidr string) {
		if _, err := netip.ParsePrefix(cidr); err != nil && cidr != NoCIDR {
			faults.Add(path, cidr, "is not a CIDR", "use one such as "+DefaultClusterCIDR)
		}
	}
	n = n.WithDefaults()
	for i, cidr := range n.ClusterCIDRs {
		check(fmt.Sprintf("clusterCIDRs[%d]", i), cidr)
	}
	for i, cidr := range n.ServiceCIDRs {
		check(fmt.Sprintf("serviceCIDRs[%d]", i), cidr)
	}
	check("joinCIDR", n.JoinCIDR)
	check("transitCIDR", n.TransitCIDR)
	if n.AdvertiseCIDR() == "" && n.AdvertiseAddress != NoCIDR {
		faults.Add("advertiseAddress", n.AdvertiseAddress, "is not an address", "use one such as "+DefaultAdvertiseAddress)
	}
	return faults.Err()
}

// Reserved returns the networks that the VPC must not overlap, including AWSReserved. A string that is not a CIDR is
// left out.
func (n ClusterNetworks) Reserved() []Reserved {
	n = n.WithDefaults()
	var reserved []Reserved
	for _, networks := range []struct {
		use   string
		cidrs []string
	}{
		{"the cluster network", n.ClusterCIDRs}, {"the service network", n.ServiceCIDRs},
		{"OVN-Kubernetes' join subnet", []string{n.JoinCIDR}}, {"OVN-Kubernetes' transit subnet", []string{n.TransitCIDR}},
		{AdvertiseUse, []string{n.AdvertiseCIDR()}},
	} {
		for _, cidr := range networks.cidrs {
			if prefix, err := netip.ParsePrefix(cidr); err == nil {
				reserved = append(reserved, Reserved{prefix, networks.use})
			}
		}
	}
	return append(reserved, AWSReserved()...)
}

// Possible returns the networks that the VPC must not overlap unless a HostedCluster that is not known says otherwise.
func (n ClusterNetworks) Possible() []Reserved {
	if n.AdvertiseAddress != NoCIDR {
		return nil
	}
	return []Reserved{{netip.MustParsePrefix(DefaultAdvertiseAddress + "/32"), AdvertiseUse}}
}

// HostedReserved returns the networks that the VPC of a hosted cluster with HyperShift's default networks must not
// overlap.
func HostedReserved() []Reserved { return ClusterNetworks{}.Reserved() }

// AWSReserved returns the networks that AWS does not allow for VPCs.
func AWSReserved() []Reserved {
	return []Reserved{
		{netip.MustParsePrefix("0.0.0.0/8"), "a range that AWS does not allow for VPCs"},
		{netip.MustParsePrefix("127.0.0.0/8"), "the loopback network"},
		{netip.MustParsePrefix("169.254.0.0/16"), "the link-local network"},
		{netip.MustParsePrefix("224.0.0.0/3"), "a range that AWS does not allow for VPCs"},
	}
}

// HostReserved returns the networks that no network inside a cluster may overlap, since each host uses them itself:
// Kubernetes refuses their addresses in endpoints, and of the link-local one, nodes reach the instance metadata, and
// OVN-Kubernetes masquerades by 169.254.0.0/17.
// https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/validation.go
func HostReserved() []Reserved {
	return []Reserved{
		{netip.MustParsePrefix("0.0.0.0/8"), "the network of a host itself"},
		{netip.MustParsePrefix("127.0.0.0/8"), "the loopback network"},
		{netip.MustParsePrefix("169.254.0.0/16"), "the link-local network"},
		{netip.MustParsePrefix("224.0.0.0/4"), "the network of multicast"},
		{netip.MustParsePrefix("::/8"), "the network of a host itself"},
		{netip.MustParsePrefix("fe80::/10"), "the link-local network"},
		{netip.MustParsePrefix("ff00::/8"), "the network of multicast"},
	}
}

// IsInternet reports whether a CIDR has addresses of many organizations: it is not private, and larger than /8 in IPv4
// or /16 in IPv6. Registries assign at most one such block to an organization. So 0.0.0.0/1 counts as the internet too:
// two such CIDRs cover all of it.
func IsInternet(cidr string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return false
	}
	largest := 8
	if prefix.Addr().Is6() {
		largest = 16
	}
	return prefix.Bits() < largest && !prefix.Addr().IsPrivate()
}

// IsPublic reports whether a CIDR has IPv4 addresses of hosts on the internet: it is in none of the ranges that are
// private, shared, or reserved. Source: https://www.iana.org/assignments/iana-ipv4-special-registry
func IsPublic(cidr string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil || !prefix.Addr().Is4() {
		return false
	}
	return !slices.ContainsFunc(NotPublic(), func(block netip.Prefix) bool {
		return block.Bits() <= prefix.Bits() && block.Contains(prefix.Addr())
	})
}

// NotPublic returns the IPv4 networks that are private, shared, or reserved. Source: see IsPublic.
func NotPublic() []netip.Prefix {
	var blocks []netip.Prefix
	for _, special := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.2.0/24",
		"192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	} {
		blocks = append(blocks, netip.MustParsePrefix(special))
	}
	return blocks
}

// Secondary is the division of a VPC's second CIDR into eight equal node subnets, one per slot. A subnet's CIDR depends
// on the second CIDR and on its slot, never on the number of zones.
type Secondary struct{ cidr netip.Prefix }

// NewSecondary returns the layout of a second CIDR. It returns a fault where New would, and if AWS does not allow the
// CIDR in a VPC with the first.
func NewSecondary(cidr string, first Layout, reserved []Reserved) (Secondary, error) {
	second, err := New(cidr, reserved)
	if err != nil {
		return Secondary{}, err
	}
	refuse := func(problem, remedy string) (Secondary, error) {
		return Secondary{}, &fault.Fault{Value: cidr, Problem: problem, Remedy: remedy}
	}
	// AWS adds a CIDR of this range to any VPC.
	free := freeIn(append(slices.Clone(reserved), Reserved{Prefix: first.vpc}), []string{"100.64.0.0/10"})
	switch private, firstPrivate := privateRange(second.vpc), privateRange(first.vpc); {
	case second.vpc.Overlaps(first.vpc):
		return refuse(fmt.Sprintf("overlaps %s, the VPC's first CIDR", first.vpc),
			"use a CIDR that does not overlap, such as "+free)
	case inLowest10(first.vpc) && netip.MustParsePrefix("10.0.0.0/16").Overlaps(second.vpc):
		return refuse(fmt.Sprintf("is in 10.0.0.0/16, which AWS does not add to a VPC in %s", first.vpc),
			"use a CIDR from 10.2.0.0 upwards")
	case private != firstPrivate && private.IsValid():
		return refuse(fmt.Sprintf("is in %s, which AWS does not add to a VPC in %s", private, first.vpc),
			"use a CIDR in 100.64.0.0/10 that OVN-Kubernetes does not use, such as "+free+", or one in the same private range")
	}
	return Secondary{second.vpc}, nil
}

// privateRange returns the private range (RFC 1918 or 6598) that contains a CIDR, or the zero value if none does. AWS
// only adds a CIDR to a VPC if it is in the same range as the first. Source: the VPC user guide, "IPv4 CIDR block
// association restrictions".
func privateRange(cidr netip.Prefix) netip.Prefix {
	for _, private := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.19.0.0/16"} {
		if prefix := netip.MustParsePrefix(private); prefix.Overlaps(cidr) {
			return prefix
		}
	}
	return netip.Prefix{}
}

// inLowest10 reports whether a VPC is in the range that AWS partly reserves for its own services.
func inLowest10(cidr netip.Prefix) bool { return netip.MustParsePrefix("10.0.0.0/15").Overlaps(cidr) }

// Subnet returns the CIDR of the slot's node subnet.
func (l Secondary) Subnet(slot int) string {
	bits := l.cidr.Bits() + 3
	address := l.cidr.Addr().As4()
	binary.BigEndian.PutUint32(address[:], binary.BigEndian.Uint32(address[:])+uint32(slot)<<(32-bits))
	return netip.PrefixFrom(netip.AddrFrom4(address), bits).String()
}

// VPCIPv6 is the prefix length of the IPv6 CIDR that Amazon provides for a VPC. It has 256 subnets.
const VPCIPv6 = 56

// subnetIPv6 is the prefix length of a subnet's IPv6 CIDR.
const subnetIPv6 = 64

// IPv6 is the division of a VPC's IPv6 CIDR into subnets of /64, numbered like the IPv4 subnets of Layout, followed by
// the subnets of Secondary. A subnet's CIDR depends on the VPC's CIDR and on its slot, never on the number of zones.
type IPv6 struct{ vpc netip.Prefix }

// NewIPv6 returns the layout of the VPC with the given IPv6 CIDR, which AWS assigns. It returns a fault unless the CIDR
// is a /56.
func NewIPv6(vpcCIDR string) (IPv6, error) {
	vpc, err := netip.ParsePrefix(vpcCIDR)
	if err != nil || !vpc.Addr().Is6() || vpc.Masked() != vpc || vpc.Bits() != VPCIPv6 {
		return IPv6{}, &fault.Fault{
			Value:   vpcCIDR,
			Problem: fmt.Sprintf("is not an IPv6 network of /%d", VPCIPv6),
			Remedy:  "use the CIDR that Amazon provides for the VPC",
		}
	}
	return IPv6{vpc: vpc}, nil
}

// Public returns the CIDR of the slot's public subnet.
func (l IPv6) Public(slot int) string { return l.part(slot) }

// Private returns the CIDR of the slot's private subnet.
func (l IPv6) Private(slot int) string { return l.part(Slots + slot) }

// Secondary returns the CIDR of the slot's node subnet in the VPC's second IPv4 CIDR.
func (l IPv6) Secondary(slot int) string { return l.part(2*Slots + slot) }

// part returns the subnet with a number, which is the last byte of a /64 in a /56.
func (l IPv6) part(i int) string {
	address := l.vpc.Addr().As16()
	address[subnetIPv6/8-1] = byte(i)
	return netip.PrefixFrom(netip.AddrFrom16(address), subnetIPv6).String()
}

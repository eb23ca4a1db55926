package network

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// DefaultVPCCIDR is the VPC's CIDR where none is given, as HyperShift's CLI has it.
const DefaultVPCCIDR = "10.0.0.0/16"

// Slots is how many zones a VPC has room for: it is cut into sixteen equal parts, eight for public
// subnets and behind them eight for private ones.
const Slots = 8

// The sizes of a VPC that can be laid out, as prefix lengths. A /16 gives /20 subnets, which are those
// of HyperShift's CLI; a /20 gives /24 subnets.
const (
	largestVPC  = 16
	smallestVPC = 20
)

// Layout gives the subnets of a VPC. A subnet depends on the VPC's CIDR and on its slot, never on how
// many zones there are.
type Layout struct{ vpc netip.Prefix }

// NewLayout lays out the VPC with the given IPv4 CIDR, "" for DefaultVPCCIDR. It returns a fault where
// the CIDR is no network address, is not from /16 to /20, or overlaps a network that every hosted
// cluster uses.
func NewLayout(vpcCIDR string) (Layout, error) { return newLayout(vpcCIDR, hostedReserved()) }

// newLayout is NewLayout for a VPC that keeps clear of the given networks.
func newLayout(vpcCIDR string, reserved []Reserved) (Layout, error) {
	if vpcCIDR == "" {
		vpcCIDR = DefaultVPCCIDR
	}
	refuse := func(problem, remedy string) (Layout, error) {
		return Layout{}, &fault.Fault{Value: vpcCIDR, Problem: problem, Remedy: remedy}
	}
	vpc, err := netip.ParsePrefix(vpcCIDR)
	if err != nil || !vpc.Addr().Is4() {
		return refuse("is not an IPv4 CIDR", "give an address and a length, such as "+DefaultVPCCIDR)
	}
	if vpc.Masked() != vpc {
		return refuse("is not a network address", "give "+vpc.Masked().String())
	}
	if vpc.Bits() > smallestVPC {
		return refuse("is too small for eight zones", fmt.Sprintf("give a CIDR from /%d to /%d", largestVPC, smallestVPC))
	}
	if vpc.Bits() < largestVPC {
		return refuse("is larger than AWS allows for a VPC", fmt.Sprintf("give a CIDR from /%d to /%d", largestVPC, smallestVPC))
	}
	for _, taken := range reserved {
		if taken.Prefix.Overlaps(vpc) {
			return refuse(fmt.Sprintf("overlaps %s, %s", taken.Prefix, taken.Use), "give a CIDR that does not overlap, such as "+DefaultVPCCIDR)
		}
	}
	return Layout{vpc: vpc}, nil
}

// VPC is the VPC's CIDR.
func (l Layout) VPC() string { return l.vpc.String() }

// Public is the CIDR of the slot's public subnet.
func (l Layout) Public(slot int) string { return l.part(slot) }

// Private is the CIDR of the slot's private subnet.
func (l Layout) Private(slot int) string { return l.part(Slots + slot) }

// Slot is the slot that a subnet of this layout lies in, and whether it is one of this layout.
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

// Reserved is a network that a VPC must keep clear of.
type Reserved struct {
	// Prefix is the network.
	Prefix netip.Prefix
	// Use says what it is, as an apposition: "the cluster network".
	Use string
}

// hostedReserved are the networks that a hosted cluster's VPC must keep clear of. Sources: the defaults of HyperShift's CLI,
// and OVN-Kubernetes' own subnets.
func hostedReserved() []Reserved {
	return append([]Reserved{
		{netip.MustParsePrefix("10.132.0.0/14"), "the cluster network"},
		{netip.MustParsePrefix("172.31.0.0/16"), "the service network"},
		{netip.MustParsePrefix("100.64.0.0/16"), "OVN-Kubernetes' join subnet"},
		{netip.MustParsePrefix("100.88.0.0/16"), "OVN-Kubernetes' transit subnet"},
	}, awsReserved()...)
}

// awsReserved are the ranges that AWS gives no VPC.
func awsReserved() []Reserved {
	return []Reserved{
		{netip.MustParsePrefix("0.0.0.0/8"), "a range that AWS does not allow for VPCs"},
		{netip.MustParsePrefix("127.0.0.0/8"), "the loopback network"},
		{netip.MustParsePrefix("169.254.0.0/16"), "the link-local network"},
		{netip.MustParsePrefix("224.0.0.0/3"), "a range that AWS does not allow for VPCs"},
	}
}

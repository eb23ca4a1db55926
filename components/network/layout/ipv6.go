package layout

import (
	"fmt"
	"net/netip"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// VPCIPv6 is the prefix length of the IPv6 CIDR that Amazon provides for a VPC. It has 256 subnets.
const VPCIPv6 = 56

// subnetIPv6 is the prefix length of a subnet's IPv6 CIDR.
const subnetIPv6 = 64

// IPv6 is the division of a VPC's IPv6 CIDR into subnets of /64, numbered as the IPv4 subnets of Layout, with those of Secondary after them.
// A subnet's CIDR depends on the VPC's CIDR and on its slot, never on the number of zones.
type IPv6 struct{ vpc netip.Prefix }

// NewIPv6 returns the layout of the VPC with the given IPv6 CIDR, which AWS assigns. It returns a fault unless the CIDR is a /56.
func NewIPv6(vpcCIDR string) (IPv6, error) {
	vpc, err := netip.ParsePrefix(vpcCIDR)
	if err != nil || !vpc.Addr().Is6() || vpc.Masked() != vpc || vpc.Bits() != VPCIPv6 {
		return IPv6{}, &fault.Fault{Value: vpcCIDR, Problem: fmt.Sprintf("is not an IPv6 network of /%d", VPCIPv6), Remedy: "use the CIDR that Amazon provides for the VPC"}
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

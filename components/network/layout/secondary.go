package layout

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// Secondary is the division of a VPC's second CIDR into eight equal node subnets, one per slot. A subnet's CIDR depends on the
// second CIDR and on its slot, never on the number of zones.
type Secondary struct{ cidr netip.Prefix }

// NewSecondary returns the layout of a second CIDR. It returns a fault where New would, and if AWS does not allow the CIDR in
// a VPC with the first.
func NewSecondary(cidr string, first Layout, reserved []Reserved) (Secondary, error) {
	second, err := New(cidr, reserved)
	if err != nil {
		return Secondary{}, err
	}
	refuse := func(problem, remedy string) (Secondary, error) {
		return Secondary{}, &fault.Fault{Value: cidr, Problem: problem, Remedy: remedy}
	}
	switch private, firstPrivate := privateRange(second.vpc), privateRange(first.vpc); {
	case second.vpc.Overlaps(first.vpc):
		return refuse(fmt.Sprintf("overlaps %s, the VPC's first CIDR", first.vpc), "use a CIDR that does not overlap, such as 100.65.0.0/16")
	case inLowest10(first.vpc) && netip.MustParsePrefix("10.0.0.0/16").Overlaps(second.vpc):
		return refuse(fmt.Sprintf("is in 10.0.0.0/16, which AWS does not add to a VPC in %s", first.vpc), "use a CIDR from 10.2.0.0 upwards")
	case private != firstPrivate && private.IsValid():
		return refuse(fmt.Sprintf("is in %s, which AWS does not add to a VPC in %s", private, first.vpc),
			"use a CIDR in 100.64.0.0/10 that OVN-Kubernetes does not use, such as 100.65.0.0/16, or one in the same private range")
	}
	return Secondary{second.vpc}, nil
}

// privateRange returns the private range (RFC 1918 or 6598) that contains a CIDR, or the zero value if none does. AWS only adds a CIDR to a
// VPC if it is in the same range as the first. Source: the VPC user guide, "IPv4 CIDR block association restrictions".
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

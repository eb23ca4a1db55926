package automation

import "net/netip"

// slotsOfAVPC is how many parts a VPC's addresses are divided into: eight for public subnets, then
// eight for private ones.
const slotsOfAVPC = 8

// slotOf is the zone slot, 0 to 7, that a subnet lies in. It is false for a subnet that is not one of
// the VPC's sixteen parts.
func slotOf(vpcCIDR, subnetCIDR string) (int, bool) {
	vpc, err := netip.ParsePrefix(vpcCIDR)
	if err != nil || !vpc.Addr().Is4() {
		return 0, false
	}
	subnet, err := netip.ParsePrefix(subnetCIDR)
	if err != nil || !subnet.Addr().Is4() || subnet.Bits() != vpc.Bits()+4 || !vpc.Contains(subnet.Addr()) {
		return 0, false
	}
	offset := number(subnet.Addr()) - number(vpc.Masked().Addr())
	return int(offset>>(32-subnet.Bits())) % slotsOfAVPC, true
}

func number(address netip.Addr) uint32 {
	b := address.As4()
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

package layout

import "net/netip"

// IsInternet reports whether a CIDR has addresses of many organizations: it is larger than /8 in IPv4 or /16 in IPv6, of which registries assign
// at most one block to an organization, and is not private. So 0.0.0.0/1 is the internet too, of which two CIDRs make the whole.
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

// Package grouprules judges the rules of security groups, as EC2 lists them.
package grouprules

import (
	"net/netip"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// Traffic is what a rule may allow.
type Traffic struct {
	// Protocol is a protocol's name or number, such as "tcp".
	Protocol string
	// FromPort and ToPort are the ports, 0 for a protocol without any.
	FromPort, ToPort int
}

// TCP returns the traffic to a port of TCP.
func TCP(port int) Traffic { return Traffic{"tcp", port, port} }

// Opens reports whether a rule is for the traffic, wherever it comes from.
func Opens(rule props.Map, t Traffic) bool {
	protocol := rule.String("ipProtocol")
	if protocol == "-1" {
		return true
	}
	from, to := rule.Number("fromPort"), rule.Number("toPort")
	return number(protocol) == number(t.Protocol) &&
		(t.FromPort == 0 || from == -1 || from <= float64(t.FromPort) && float64(t.ToPort) <= to)
}

// number returns the number of a protocol, which AWS shows by name if it has one.
func number(protocol string) string {
	if number, named := map[string]string{"icmp": "1", "tcp": "6", "udp": "17", "icmpv6": "58"}[protocol]; named {
		return number
	}
	return protocol
}

// Lists returns the CIDRs of a prefix list by its ID.
type Lists func(id string) []string

// CIDRs returns the CIDRs for which rules allow the traffic. The rules of all groups of a resource apply together.
func CIDRs(rules []props.Map, t Traffic, lists Lists) []string {
	var cidrs []string
	for _, rule := range rules {
		if !Opens(rule, t) {
			continue
		}
		for _, name := range []string{"cidrIpv4", "cidrIpv6"} {
			if cidr := rule.String(name); cidr != "" {
				cidrs = append(cidrs, cidr)
			}
		}
		if id := rule.String("prefixListId"); id != "" {
			cidrs = append(cidrs, lists(id)...)
		}
	}
	return cidrs
}

// Admit reports whether rules allow the traffic for all addresses of a CIDR, or for one of the security groups of the
// other end.
func Admit(rules []props.Map, t Traffic, lists Lists, cidr string, peers []string) bool {
	for _, rule := range rules {
		if peer := rule.String("referencedSecurityGroupId"); peer != "" && slices.Contains(peers, peer) && Opens(rule, t) {
			return true
		}
	}
	rest, known := Uncovered(cidr, CIDRs(rules, t, lists))
	return known && len(rest) == 0
}

// Uncovered returns the parts of a CIDR that are in none of the others; known is false if it is no CIDR.
func Uncovered(cidr string, others []string) (rest []string, known bool) {
	all, err := netip.ParsePrefix(cidr)
	if err != nil {
		return nil, false
	}
	var covered []netip.Prefix
	for _, other := range others {
		if prefix, err := netip.ParsePrefix(other); err == nil {
			covered = append(covered, prefix.Masked())
		}
	}
	for _, part := range without(all.Masked(), covered) {
		rest = append(rest, part.String())
	}
	return rest, true
}

// without returns the parts of a network that are in none of the others: both halves are asked while some other network
// is a part of it.
func without(all netip.Prefix, others []netip.Prefix) []netip.Prefix {
	others = slices.DeleteFunc(slices.Clone(others), func(other netip.Prefix) bool { return !other.Overlaps(all) })
	if len(others) == 0 {
		return []netip.Prefix{all}
	}
	if slices.ContainsFunc(others, func(other netip.Prefix) bool { return other.Bits() <= all.Bits() }) {
		return nil
	}
	bits := all.Bits() + 1
	upper := all.Addr().AsSlice()
	upper[(bits-1)/8] |= 1 << (7 - (bits-1)%8)
	address, _ := netip.AddrFromSlice(upper)
	return append(without(netip.PrefixFrom(all.Addr(), bits), others), without(netip.PrefixFrom(address, bits), others)...)
}

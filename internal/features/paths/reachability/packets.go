package reachability

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"strconv"
)

// Range is a range of addresses, as numbers, or of ports. Both ends are part of it.
type Range struct{ First, Last uint32 }

// field is a field of packets that rules match.
type field int

const (
	// client and server are the addresses of the ends of a connection: the client opens it.
	client field = iota
	server
	// clientPort is the port of the client, which replies are sent to.
	clientPort
	// nat and natPort replace the client's between a NAT gateway and the server.
	nat
	natPort
	fields
)

// Packets are the connections whose fields are in the ranges.
type Packets [fields]Range

// Client returns the range of the clients' addresses.
func (p Packets) Client() Range { return p[client] }

// Server returns the range of the servers' addresses.
func (p Packets) Server() Range { return p[server] }

// split returns the packets whose field is in the range, and the others. inside is false if there are none in the
// range.
func (p Packets) split(f field, r Range) (in Packets, inside bool, out []Packets) {
	if r.Last < p[f].First || p[f].Last < r.First {
		return in, false, []Packets{p}
	}
	in = p
	if p[f].First < r.First {
		before := p
		before[f].Last, in[f].First = r.First-1, r.First
		out = append(out, before)
	}
	if r.Last < p[f].Last {
		after := p
		after[f].First, in[f].Last = r.Last+1, r.Last
		out = append(out, after)
	}
	return in, true, out
}

// AllPorts are all ports that replies may have. LinuxPorts are the ports that Linux uses unless
// net.ipv4.ip_local_port_range is set, and natPorts the ports that NAT gateways use. Source: the guide of Amazon VPC,
// "Ephemeral ports".
var (
	AllPorts   = Range{1024, 65535}
	LinuxPorts = Range{32768, 60999}
	natPorts   = Range{1024, 65535}
)

// CIDRRange returns the addresses of an IPv4 CIDR.
func CIDRRange(cidr netip.Prefix) Range {
	address := cidr.Masked().Addr().As4()
	first := binary.BigEndian.Uint32(address[:])
	return Range{first, first | uint32(1<<(32-cidr.Bits())-1)}
}

// Address returns the first address of the range.
func (r Range) Address() netip.Addr {
	var address [4]byte
	binary.BigEndian.PutUint32(address[:], r.First)
	return netip.AddrFrom4(address)
}

// Internet returns the addresses of the internet: all that are not reserved (RFC 6890) and not in the VPC's CIDRs.
func Internet(vpc []netip.Prefix) []Range {
	var reserved []netip.Prefix
	for _, cidr := range []string{"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
		"172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"} {
		reserved = append(reserved, netip.MustParsePrefix(cidr))
	}
	var without []Range
	for _, cidr := range append(reserved, vpc...) {
		without = append(without, CIDRRange(cidr))
	}
	return Range{0, 1<<32 - 1}.Without(without...)
}

// Without returns the parts of the range that are in none of the others.
func (r Range) Without(others ...Range) []Range {
	rest := []Packets{{server: r}}
	for _, other := range others {
		var next []Packets
		for _, p := range rest {
			_, _, out := p.split(server, other)
			next = append(next, out...)
		}
		rest = next
	}
	ranges := make([]Range, len(rest))
	for i, p := range rest {
		ranges[i] = p[server]
	}
	return ranges
}

// Ports returns the ports of a range, "443" or "1024-65535".
func (r Range) Ports() string {
	if r.First == r.Last {
		return strconv.Itoa(int(r.First))
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// String returns the addresses of a range: a CIDR, or both ends.
func (r Range) String() string {
	first, last := r.Address(), Range{First: r.Last}.Address()
	size := uint64(r.Last) - uint64(r.First) + 1
	if size&(size-1) == 0 && uint64(r.First)%size == 0 {
		return netip.PrefixFrom(first, 33-bits.Len64(size)).String()
	}
	return first.String() + "-" + last.String()
}

package reachability

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// packet is one connection.
type packet struct {
	client, server, nat netip.Addr
	clientPort, natPort uint16
}

// simulation sends one packet and its reply through a network, one router at a time. It shares no code with the walk.
type simulation struct {
	n      *Network
	p      packet
	public bool
	port   uint16
	// used are the rules that decided, firewalls the endpoints on the way there and back; vague is true if something is
	// not modelled.
	used      []string
	firewalls [2][]string
	vague     bool
	natAt     string
}

// place is where a packet is: in a subnet, or outside.
type place struct {
	subnet  string
	outside string // "igw", "tgw <subnet>", "aws", "fog"; "" in a subnet; "drop"
}

func (s *simulation) of(address netip.Addr) string {
	for _, subnet := range s.n.Subnets {
		if subnet.CIDR.Contains(address) {
			return subnet.ID
		}
	}
	return ""
}

func (s *simulation) info(id string) Subnet {
	for _, subnet := range s.n.Subnets {
		if subnet.ID == id {
			return subnet
		}
	}
	return Subnet{}
}

// filter reports whether a subnet's ACL lets a packet pass.
func (s *simulation) filter(subnet string, in bool, remote netip.Addr, port uint16) bool {
	acl := s.info(subnet).ACL
	rules, word := s.n.ACLs[acl].Egress, "egress"
	if in {
		rules, word = s.n.ACLs[acl].Ingress, "ingress"
	}
	best := -1
	for i, rule := range rules {
		if rule.CIDR.Contains(remote) && uint32(port) >= rule.Ports.First && uint32(port) <= rule.Ports.Last && (best < 0 ||
			rule.Number < rules[best].Number) {
			best = i
		}
	}
	if best < 0 {
		s.used = append(s.used, acl+" "+word+" rule *")
		return false
	}
	s.used = append(s.used, fmt.Sprintf("%s %s rule %d", acl, word, rules[best].Number))
	return rules[best].Allow
}

// lookup returns the route of the longest prefix; vague if an unknown prefix list may have one.
func (s *simulation) lookup(table string, to netip.Addr) (best *Route, vague bool) {
	bits, unknown := -1, false
	for _, route := range s.n.Tables[table] {
		prefixes := []netip.Prefix{route.CIDR}
		if route.PrefixList != "" {
			list, known := s.n.PrefixLists[route.PrefixList]
			prefixes, unknown = list, unknown || !known
		}
		for _, prefix := range prefixes {
			if prefix.Contains(to) && prefix.Bits() > bits {
				bits, best = prefix.Bits(), &route
			}
		}
	}
	return best, best == nil && unknown
}

// carry moves a packet from a subnet, or with "" from the internet gateway, until it is in the target's subnet, outside
// or dropped.
func (s *simulation) carry(from string, source, target netip.Addr, port uint16, back, translated bool) place {
	table := s.n.Edge
	for range maxHops + 1 {
		if from != "" {
			if s.info(from).CIDR.Contains(target) {
				return place{subnet: from}
			}
			if !s.filter(from, false, target, port) {
				return place{outside: "drop"}
			}
			table = s.info(from).Table
		}
		local := from == "" && table == ""
		var route *Route
		if !local {
			var vague bool
			if route, vague = s.lookup(table, target); vague {
				s.vague = true
				return place{outside: "fog"}
			}
			if route == nil || route.Blackhole {
				return place{outside: "drop"}
			}
			local = route.Target == "local"
		}
		if local {
			to := s.of(target)
			if to == "" || to != from && !s.filter(to, true, source, port) {
				return place{outside: "drop"}
			}
			return place{subnet: to}
		}
		gateway, exists := s.n.Gateways[route.Target]
		if !exists {
			s.vague = true
			return place{outside: "fog"}
		}
		if gateway.Down != "" {
			return place{outside: "drop"}
		}
		switch gateway.Kind {
		case InternetGateway:
			if !s.public && (back || !translated) || target.IsPrivate() {
				return place{outside: "drop"}
			}
			return place{outside: "igw"}
		case GatewayEndpoint:
			return place{outside: "aws"}
		case VirtualPrivateGateway, PeeringConnection:
			s.vague = true
			return place{outside: "another network"}
		case TransitGateway:
			for _, id := range gateway.Subnets {
				if s.info(id).Zone == s.info(from).Zone {
					if !s.filter(id, true, source, port) {
						return place{outside: "drop"}
					}
					s.vague = true
					return place{outside: "tgw " + id}
				}
			}
			return place{outside: "drop"}
		case NATGateway:
			if back || translated {
				s.vague = true
				return place{outside: "fog"}
			}
			at := gateway.Subnets[0]
			if at != from && !s.filter(at, true, source, port) {
				return place{outside: "drop"}
			}
			translated, from, source, s.natAt = true, at, s.p.nat, at
		case FirewallEndpoint:
			at := gateway.Subnets[0]
			if at != from && !s.filter(at, true, source, port) {
				return place{outside: "drop"}
			}
			direction := 0
			if back {
				direction = 1
			}
			s.firewalls[direction] = append(s.firewalls[direction], route.Target)
			s.vague, from = true, at
		}
	}
	return place{outside: "drop"} // a loop
}

// run returns what becomes of the packet and its reply.
func (s *simulation) run(home string) Outcome {
	there := s.carry(home, s.p.client, s.p.server, s.port, false, false)
	var back place
	switch {
	case there.outside == "drop":
		return Blocked
	case there.subnet != "":
		back = s.carry(there.subnet, s.p.server, s.p.client, s.p.clientPort, true, false)
	case there.outside == "igw" && s.natAt != "":
		if back = s.carry("", s.p.server, s.p.nat, s.p.natPort, true, true); back.outside == "drop" {
			return Blocked
		}
		back = s.carry(s.natAt, s.p.server, s.p.client, s.p.clientPort, true, false)
	case there.outside == "igw":
		back = s.carry("", s.p.server, s.p.client, s.p.clientPort, true, false)
	case len(there.outside) > 4 && there.outside[:4] == "tgw " && s.natAt == "":
		back = s.carry(there.outside[4:], s.p.server, s.p.client, s.p.clientPort, true, false)
	case s.filter(home, true, s.p.server, s.p.clientPort):
		back = place{subnet: home}
	default:
		return Blocked
	}
	slices.Reverse(s.firewalls[1])
	switch {
	case back.outside == "drop":
		return Blocked
	case back.subnet != home, s.vague, !slices.Equal(s.firewalls[0], s.firewalls[1]):
		return NotModelled
	}
	return Delivered
}

// usedBy returns the rules of network ACLs that decided a flow.
func usedBy(f Flow) (rules []string) {
	for _, step := range f.Steps {
		if step.Kind == "network ACL" {
			rules = append(rules, step.ID+" "+step.Rule)
		}
	}
	return rules
}

func (p Packets) has(one packet) bool {
	number := func(a netip.Addr) uint32 { return CIDRRange(netip.PrefixFrom(a, 32)).First }
	for f, value := range map[field]uint32{
		client:     number(one.client),
		server:     number(one.server),
		clientPort: uint32(one.clientPort),
		natPort:    uint32(one.natPort),
	} {
		if value < p[f].First || p[f].Last < value {
			return false
		}
	}
	translated := p[nat] != Range{}
	return !translated || p[nat].First <= number(one.nat) && number(one.nat) <= p[nat].Last
}

// question asks for connections of subnet-0 to all of the VPC and to parts of the internet.
func question(public bool) Connection {
	return Connection{From: []Range{CIDRRange(cidr("10.0.0.0/28"))},
		To: []Range{CIDRRange(cidr("10.0.0.0/26")), CIDRRange(cidr("8.8.8.0/29")), CIDRRange(cidr("9.0.0.0/8"))}, Port: 443,
		ClientPorts: Range{1500, 2999}, Public: public}
}

func randomPacket(r *rand.Rand, n *Network) packet {
	at := n.Gateways["nat"]
	address := at.Address
	if !address.IsValid() {
		i := slices.IndexFunc(n.Subnets, func(s Subnet) bool { return s.ID == at.Subnets[0] })
		address = netip.AddrFrom4([4]byte{10, 0, 0, byte(16*i + r.IntN(16))})
	}
	servers := []netip.Addr{
		netip.AddrFrom4([4]byte{10, 0, 0, byte(r.IntN(64))}), netip.AddrFrom4([4]byte{8, 8, 8, byte(r.IntN(8))}),
		netip.AddrFrom4([4]byte{8, 8, 8, byte(r.IntN(8))}),
		netip.AddrFrom4([4]byte{9, byte(r.IntN(3)), 0, byte(r.IntN(3))}),
	}
	ports := []uint16{1500, 1999, 2000, 2001, 2500, 2501, 2999}
	natPorts := []uint16{1024, 1999, 2000, 2500, 2501, 40000, 40001, 65535}
	return packet{client: netip.AddrFrom4([4]byte{10, 0, 0, byte(r.IntN(16))}), server: servers[r.IntN(len(servers))],
		nat:        address,
		clientPort: ports[r.IntN(len(ports))], natPort: natPorts[r.IntN(len(natPorts))]}
}

func holding(t *testing.T, flows []Flow, p packet) Flow {
	t.Helper()
	var found []Flow
	for _, flow := range flows {
		if flow.Packets.has(p) {
			found = append(found, flow)
		}
	}
	require.Len(t, found, 1, "%+v", p)
	return found[0]
}

const networks = 10_000

func TestAPacketThatIsSimulatedTakesTheWayThatTheWalkFound(t *testing.T) {
	t.Parallel()
	outcomes := map[Outcome]int{}
	for seed := range uint64(networks) {
		r := rand.New(rand.NewPCG(seed, 28))
		n, public := random(r), r.IntN(2) == 0
		flows := n.Outward("subnet-0", question(public))
		for range 12 {
			p := randomPacket(r, n)
			s := &simulation{n: n, p: p, public: public, port: 443}
			want, flow := s.run("subnet-0"), holding(t, flows, p)
			if want != flow.Outcome || !slices.Equal(s.used, usedBy(flow)) {
				require.Equal(t, want, flow.Outcome, "seed %d, %+v\n%+v", seed, p, flow.Steps)
				require.Equal(t, s.used, usedBy(flow), "seed %d, %+v", seed, p)
			}
			outcomes[want]++
		}
	}
	for _, outcome := range []Outcome{Delivered, Blocked, NotModelled} {
		require.Greater(t, outcomes[outcome], networks/10, "%v", outcomes)
	}
}

// A rule that turns around changes what uses it, and nothing else.
func TestARuleThatIsTurnedAroundChangesExactlyTheWaysThatUseIt(t *testing.T) {
	t.Parallel()
	changed := 0
	for seed := range uint64(networks / 4) {
		r := rand.New(rand.NewPCG(seed, 82))
		n := random(r)
		before := n.Outward("subnet-0", question(true))
		id := fmt.Sprint("acl-", r.IntN(3))
		acl := n.ACLs[id]
		rules, word := &acl.Egress, "egress"
		if r.IntN(2) == 0 {
			rules, word = &acl.Ingress, "ingress"
		}
		if len(*rules) == 0 {
			continue
		}
		*rules = slices.Clone(*rules)
		turned := &(*rules)[r.IntN(len(*rules))]
		turned.Allow = !turned.Allow
		n.ACLs[id] = acl
		name := fmt.Sprintf("%s %s rule %d", id, word, turned.Number)
		after := n.Outward("subnet-0", question(true))
		for range 12 {
			p := randomPacket(r, n)
			was, is := holding(t, before, p), holding(t, after, p)
			usedBefore, usedAfter := usedBy(was), usedBy(is)
			i := slices.Index(usedBefore, name)
			if i < 0 {
				require.Equal(t, was.Outcome, is.Outcome, "seed %d: %s is not used", seed, name)
				require.Equal(t, usedBefore, usedAfter)
				continue
			}
			changed++
			require.Equal(t, usedBefore[:i+1], usedAfter[:i+1], "seed %d: up to the rule nothing changes", seed)
			if turned.Allow {
				require.Equal(t, Blocked, was.Outcome)
				require.Len(t, usedBefore, i+1)
			} else {
				require.Equal(t, Blocked, is.Outcome, "seed %d: %s", seed, name)
				require.Len(t, usedAfter, i+1)
			}
		}
	}
	require.Greater(t, changed, networks/10)
}

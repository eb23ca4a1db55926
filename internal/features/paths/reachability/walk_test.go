package reachability

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func cidr(text string) netip.Prefix { return netip.MustParsePrefix(text) }

func open() ACL {
	all := []Rule{{Number: 100, Allow: true, CIDR: cidr("0.0.0.0/0"), Ports: Range{0, 65535}}}
	return ACL{Ingress: all, Egress: all}
}

// egress returns a VPC with nodes behind a NAT gateway.
func egress() *Network {
	return &Network{
		VPCID: "vpc-1", CIDRs: []netip.Prefix{cidr("10.0.0.0/16")},
		Subnets: []Subnet{
			{"subnet-node", "a", cidr("10.0.0.0/24"), "acl-node", "rtb-node"},
			{"subnet-public", "a", cidr("10.0.1.0/24"), "acl-public", "rtb-public"},
			{"subnet-other", "b", cidr("10.0.2.0/24"), "acl-public", "rtb-node"},
		},
		ACLs: map[string]ACL{"acl-node": open(), "acl-public": open()},
		Tables: map[string]Table{
			"rtb-node":   {{CIDR: cidr("10.0.0.0/16"), Target: "local"}, {CIDR: cidr("0.0.0.0/0"), Target: "nat-1"}},
			"rtb-public": {{CIDR: cidr("10.0.0.0/16"), Target: "local"}, {CIDR: cidr("0.0.0.0/0"), Target: "igw-1"}},
		},
		Gateways: map[string]Gateway{
			"igw-1": {Kind: InternetGateway}, "nat-1": {
				Kind:    NATGateway,
				Subnets: []string{"subnet-public"},
				Address: netip.MustParseAddr("10.0.1.9"),
			},
			"tgw-1":  {Kind: TransitGateway, Subnets: []string{"subnet-other"}},
			"vpce-f": {Kind: FirewallEndpoint, Subnets: []string{"subnet-other"}},
		},
	}
}

func toInternet(n *Network) []Flow {
	return n.Outward("subnet-node", Connection{
		From:        []Range{CIDRRange(cidr("10.0.0.0/24"))},
		To:          []Range{CIDRRange(cidr("8.0.0.0/8"))},
		Port:        443,
		ClientPorts: LinuxPorts,
	})
}

func TestTheRuleThatBlocksIsNamed(t *testing.T) {
	t.Parallel()
	reroute := func(n *Network, table, target string) {
		n.Tables[table] = Table{n.Tables[table][0], {CIDR: cidr("0.0.0.0/0"), Target: target}}
	}
	for name, test := range map[string]struct {
		change  func(*Network)
		outcome Outcome
		why     string
	}{
		"nothing": {func(*Network) {}, Delivered, ""},
		"no rule for the NAT gateway's ports": {func(n *Network) {
			acl := open()
			acl.Ingress = []Rule{{100, true, cidr("0.0.0.0/0"), Range{443, 443}},
				{110, true, cidr("0.0.0.0/0"), Range{32768, 65535}}}
			n.ACLs["acl-public"] = acl
		}, Blocked, "no ingress rule of subnet-public allows 8.0.0.0/8 on ports 1024-32767"},
		"replies are denied": {func(n *Network) {
			acl := open()
			acl.Ingress = append([]Rule{{90, false, cidr("8.8.0.0/16"), Range{0, 65535}}}, acl.Ingress...)
			n.ACLs["acl-node"] = acl
		}, Blocked, "ingress rule 90 of subnet-node denies 8.8.0.0/16 on port 0-65535"},
		"a blackhole": {func(n *Network) { n.Tables["rtb-node"][1].Blackhole = true }, Blocked, "is a blackhole"},
		"no route": {func(n *Network) {
			n.Tables["rtb-node"] = n.Tables["rtb-node"][:1]
		}, Blocked, "has no route to 8.0.0.0/8"},
		"no public addresses": {func(n *Network) { reroute(n, "rtb-node", "igw-1") }, Blocked,
			"only forwards traffic from public addresses"},
		"a transit gateway in another zone": {func(n *Network) {
			reroute(n, "rtb-node", "tgw-1")
		}, Blocked, "its attachment has no subnet in zone a"},
		"a transit gateway": {func(n *Network) {
			reroute(n, "rtb-node", "tgw-1")
			n.Gateways["tgw-1"] = Gateway{Kind: TransitGateway, Subnets: []string{"subnet-public"}}
		}, NotModelled, "its own route tables, and what is behind it, are not modelled"},
		"a transit gateway whose subnet blocks replies": {func(n *Network) {
			reroute(n, "rtb-node", "tgw-1")
			n.Gateways["tgw-1"] = Gateway{Kind: TransitGateway, Subnets: []string{"subnet-public"}}
			n.ACLs["acl-public"] = ACL{Ingress: open().Ingress}
		}, Blocked, "no egress rule of subnet-public allows 10.0.0.0/24"},
		"a virtual private gateway": {func(n *Network) {
			reroute(n, "rtb-node", "vgw-1")
			n.Gateways["vgw-1"] = Gateway{Kind: VirtualPrivateGateway}
		}, NotModelled, "the networks behind it are not modelled"},
		"a virtual private gateway, and an ACL that blocks replies": {func(n *Network) {
			reroute(n, "rtb-node", "vgw-1")
			n.Gateways["vgw-1"] = Gateway{Kind: VirtualPrivateGateway}
			n.ACLs["acl-node"] = ACL{Egress: open().Egress}
		}, Blocked, "no ingress rule of subnet-node allows"},
		"another account's gateway": {func(n *Network) {
			reroute(n, "rtb-node", "nat-other")
		}, NotModelled, "is not readable, or of a kind that is not modelled"},
		"a firewall without a route for replies": {func(n *Network) {
			reroute(n, "rtb-node", "vpce-f")
			n.Tables["rtb-other"] = Table{n.Tables["rtb-node"][0], {CIDR: cidr("0.0.0.0/0"), Target: "nat-1"}}
			n.Subnets[2].Table = "rtb-other"
		}, NotModelled, "the firewall's own rules are not modelled"},
		"routes that form a loop": {func(n *Network) { reroute(n, "rtb-node", "vpce-f") }, Blocked, "its routes form a loop"},
		"a prefix list": {func(n *Network) {
			n.Tables["rtb-node"][1] = Route{PrefixList: "pl-1", Target: "nat-1"}
			n.PrefixLists = map[string][]netip.Prefix{"pl-1": {cidr("8.0.0.0/7")}}
		}, Delivered, ""},
		"a prefix list that is not readable": {func(n *Network) {
			n.Tables["rtb-node"][1] = Route{PrefixList: "pl-1", Target: "nat-1"}
		}, NotModelled,
			"whose CIDRs are not readable"},
		"an ACL that is not readable": {func(n *Network) {
			delete(n.ACLs, "acl-node")
		}, NotModelled, "that of subnet-node is not readable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := egress()
			test.change(n)
			flows := toInternet(n)
			i := slices.IndexFunc(flows, func(f Flow) bool {
				return f.Outcome == test.outcome && (test.why == "" || slices.ContainsFunc(f.Steps, func(s Step) bool { return strings.Contains(s.Why, test.why) }))
			})
			require.GreaterOrEqual(t, i, 0, "%v", flows)
			if test.outcome == NotModelled {
				require.False(t, slices.ContainsFunc(flows, func(f Flow) bool {
					return f.Outcome == Delivered
				}), "open although not modelled")
			}
		})
	}
}

func TestOnlyWhatIsDeniedIsBlocked(t *testing.T) {
	t.Parallel()
	n := egress()
	acl := open()
	acl.Egress = append([]Rule{{90, false, cidr("8.8.0.0/16"), Range{0, 65535}}}, acl.Egress...)
	n.ACLs["acl-node"] = acl
	size := map[Outcome]uint32{}
	for _, flow := range toInternet(n) {
		size[flow.Outcome] += flow.Packets.Server().Last - flow.Packets.Server().First + 1
	}
	require.Equal(t, map[Outcome]uint32{Blocked: 1 << 16, Delivered: 1<<24 - 1<<16}, size)
}

// random returns a small VPC: four subnets of sixteen addresses, with any rules, routes and gateways.
func random(r *rand.Rand) *Network {
	n := &Network{VPCID: "vpc-1", CIDRs: []netip.Prefix{cidr("10.0.0.0/26")}, ACLs: map[string]ACL{}, Tables: map[string]Table{}, PrefixLists: map[string][]netip.Prefix{}}
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	subnet := func() string { return fmt.Sprint("subnet-", r.IntN(4)) }
	for i := range 4 {
		n.Subnets = append(n.Subnets, Subnet{fmt.Sprint("subnet-", i), pick("a", "b"),
			cidr(fmt.Sprintf("10.0.0.%d/28", 16*i)), pick("acl-0", "acl-1", "acl-2"),
			pick("rtb-0", "rtb-1", "rtb-2")})
	}
	rules := func() (some []Rule) {
		for i := range r.IntN(5) {
			first := uint32(r.IntN(3)) * 1000
			some = append(some, Rule{10 * (i + 1), r.IntN(3) > 0,
				cidr(pick("0.0.0.0/0", "10.0.0.0/26", "10.0.0.0/27", "8.8.8.0/30", "8.8.8.2/32", "10.0.0.16/28", "10.0.0.20/32")),
				Range{first, pickPort(r)}})
		}
		if r.IntN(3) > 0 {
			some = append(some, Rule{1000, true, cidr("0.0.0.0/0"), Range{0, 65535}})
		}
		r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		return some
	}
	for i := range 3 {
		n.ACLs[fmt.Sprint("acl-", i)] = ACL{rules(), rules()}
		table := Table{{CIDR: cidr("10.0.0.0/26"), Target: "local"}}
		for _, to := range []string{"0.0.0.0/0", "8.8.8.0/31", "10.0.0.16/28", "9.0.0.0/8"} {
			if to == "0.0.0.0/0" || r.IntN(4) == 0 {
				table = append(table, Route{
					CIDR:      cidr(to),
					Target:    pick("igw", "nat", "nat", "tgw", "firewall", "other", "igw", "vgw"),
					Blackhole: r.IntN(12) == 0,
				})
			}
		}
		if r.IntN(3) == 0 {
			table = append(table, Route{PrefixList: pick("pl-0", "pl-1"), Target: pick("nat", "igw", "s3")})
		}
		n.Tables[fmt.Sprint("rtb-", i)] = table
	}
	n.PrefixLists["pl-0"] = []netip.Prefix{cidr("8.8.8.0/30"), cidr("9.1.0.0/16")}
	n.Edge = pick("", "", "rtb-0")
	n.Gateways = map[string]Gateway{
		"igw": {Kind: InternetGateway}, "nat": {Kind: NATGateway, Subnets: []string{subnet()}},
		"tgw":      {Kind: TransitGateway, Subnets: []string{subnet(), subnet()}},
		"firewall": {Kind: FirewallEndpoint, Subnets: []string{subnet()}}, "s3": {Kind: GatewayEndpoint},
		"vgw": {Kind: VirtualPrivateGateway},
	}
	if r.IntN(2) == 0 {
		n.Gateways["nat"] = Gateway{
			Kind:    NATGateway,
			Subnets: []string{"subnet-1"},
			Address: netip.MustParseAddr("10.0.0.20"),
		}
	}
	if r.IntN(15) == 0 {
		n.Gateways["nat"] = Gateway{Kind: NATGateway, Subnets: []string{"subnet-1"}, Down: "is failed"}
	}
	return n
}

func pickPort(r *rand.Rand) uint32 {
	return []uint32{443, 2000, 2500, 40000, 65535, 65535}[r.IntN(6)]
}

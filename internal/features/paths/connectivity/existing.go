package connectivity

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/reachability"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// ExistingTypes returns the types that a VPC outside the stack consists of, as far as paths go. They are listed by the
// input vpcId.
func ExistingTypes() []string {
	return []string{awstype.VPC, awstype.Subnet, awstype.RouteTable, awstype.NetworkACL, awstype.NATGateway,
		awstype.InternetGateway, awstype.VPCEndpoint,
		awstype.TransitGatewayAttachment}
}

// PrefixListsIn returns the IDs of the prefix lists that routes of the VPC's route tables, or rules of security groups,
// refer to.
func PrefixListsIn(resources []props.Resource) []string {
	var ids []string
	for _, r := range resources {
		ids = append(ids, r.String("prefixListId"))
		for _, route := range r.Objects("routes") {
			ids = append(ids, route.String("destinationPrefixListId"))
		}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
}

// WithExisting adds a VPC outside the stack to the graph: the resources of GivenTypes, and the prefix lists.
func (g *Graph) WithExisting(resources []props.Resource) *Graph {
	g.given = existingNetwork(NewGraph(resources))
	return g.withPrefixLists(resources)
}

// WithOwn adds the network ACLs that the stack's VPC has in AWS to the graph: a stack creates none, so that all are of
// others, or AWS's default.
func (g *Graph) WithOwn(resources []props.Resource) *Graph {
	g.own = existingNetwork(NewGraph(resources))
	return g
}

// passACLs breaks the path from a subnet of the stack's VPC to others, or to the internet without one, if a network ACL
// in AWS blocks it. A subnet that does not exist yet gets the VPC's default one.
func (g *Graph) passACLs(p *status.Path, subnet string, port int, public bool, to ...string) {
	if g.own == nil || p.Broken() != nil {
		return
	}
	target := rangesIn(g.own, to...)
	if len(to) == 0 {
		target = reachability.Internet(g.own.CIDRs)
	}
	g.passACLsTo(p, subnet, port, public, target, len(to) == 0)
}

// passACLsTo is passACLs for addresses, which are those of the internet or not.
func (g *Graph) passACLsTo(
	p *status.Path, subnet string, port int, public bool, target []reachability.Range, internet bool,
) {
	if g.own == nil || p.Broken() != nil {
		return
	}
	from := rangesIn(g.own, subnet)
	if len(from) == 0 || len(target) == 0 {
		return
	}
	var inAWS status.Path
	extend(&inAWS, subnet, g.own.Outward(subnet, reachability.Connection{
		From: from, To: target, Port: port, ClientPorts: reachability.LinuxPorts, Public: public}), internet)
	if blocked := inAWS.Broken(); blocked != nil && blocked.Kind == NetworkACL {
		p.Hops = append(p.Hops, *blocked)
	}
}

// WithUnread records the types of the VPC outside the stack that cannot be listed: what depends on them is not known.
func (g *Graph) WithUnread(tokens []string) *Graph {
	g.unread = map[string]bool{}
	for _, token := range tokens {
		g.unread[token] = true
	}
	return g
}

// withPrefixLists adds the prefix lists among the resources to the graph.
func (g *Graph) withPrefixLists(resources []props.Resource) *Graph {
	for _, list := range NewGraph(resources).byType[awstype.PrefixList] {
		g.prefixLists[list.ID] = prefixes(list.Strings("entries")...)
	}
	return g
}

// existingNetwork returns the network of the VPC's resources.
func existingNetwork(g *Graph) *reachability.Network {
	n := &reachability.Network{ACLs: map[string]reachability.ACL{}, Tables: map[string]reachability.Table{},
		Gateways:    map[string]reachability.Gateway{},
		PrefixLists: map[string][]netip.Prefix{}}
	for _, vpc := range g.byType[awstype.VPC] {
		n.VPCID = vpc.ID
		for _, block := range vpc.Objects("cidrBlocks") {
			n.CIDRs = append(n.CIDRs, prefixes(block.String("cidrBlock"))...)
		}
		if len(n.CIDRs) == 0 {
			n.CIDRs = prefixes(vpc.String("cidrBlock"))
		}
	}
	tables, main := map[string]string{}, ""
	for _, table := range g.byType[awstype.RouteTable] {
		for _, route := range table.Objects("routes") {
			n.Tables[table.ID] = append(n.Tables[table.ID], routeOf(route)...)
			// AWS makes a route to one that is detached a blackhole.
			if id := route.String("gatewayId"); strings.HasPrefix(id, "vgw-") {
				n.Gateways[id] = reachability.Gateway{Kind: reachability.VirtualPrivateGateway}
			}
			if id := route.String("vpcPeeringConnectionId"); id != "" {
				n.Gateways[id] = reachability.Gateway{Kind: reachability.PeeringConnection}
			}
		}
		for _, association := range table.Objects("associations") {
			switch {
			case association.String("subnetId") != "":
				tables[association.String("subnetId")] = table.ID
			case strings.HasPrefix(association.String("gatewayId"), "igw-"):
				n.Edge = table.ID
			case association.Bool("main"):
				main = table.ID
			}
		}
	}
	acls := map[string]string{}
	for _, acl := range g.byType[awstype.NetworkACL] {
		n.ACLs[acl.ID] = aclOf(acl)
		for _, subnet := range acl.Strings("subnetIds") {
			acls[subnet] = acl.ID
		}
	}
	for _, subnet := range g.byType[awstype.Subnet] {
		for _, cidr := range prefixes(subnet.String("cidrBlock")) {
			n.Subnets = append(n.Subnets, reachability.Subnet{ID: subnet.ID, Zone: subnet.String("availabilityZone"), CIDR: cidr,
				ACL: acls[subnet.ID], Table: cmp.Or(tables[subnet.ID], main)})
		}
	}
	for _, list := range g.byType[awstype.PrefixList] {
		n.PrefixLists[list.ID] = prefixes(list.Strings("entries")...)
	}
	g.gateways(n.Gateways)
	return n
}

// gateways adds the targets of routes.
func (g *Graph) gateways(found map[string]reachability.Gateway) {
	down := func(r *props.Resource) string {
		if state := r.String("state"); state != "" && !strings.EqualFold(state, "available") {
			return "is " + state
		}
		return ""
	}
	for _, r := range g.byType[awstype.InternetGateway] {
		found[r.ID] = reachability.Gateway{Kind: reachability.InternetGateway}
	}
	for _, r := range g.byType[awstype.NATGateway] {
		address, _ := netip.ParseAddr(r.String("privateIp")) // invalid if unknown
		found[r.ID] = reachability.Gateway{
			Kind:    reachability.NATGateway,
			Subnets: []string{r.String("subnetId")},
			Address: address,
			Private: r.String("connectivityType") == "private",
			Down:    down(r),
		}
	}
	for _, r := range g.byType[awstype.TransitGatewayAttachment] {
		found[r.String("transitGatewayId")] = reachability.Gateway{Kind: reachability.TransitGateway, Subnets: r.Strings("subnetIds"), Down: down(r)}
	}
	for _, r := range g.byType[awstype.VPCEndpoint] {
		switch subnets := r.Strings("subnetIds"); {
		case r.String("vpcEndpointType") == "Gateway":
			found[r.ID] = reachability.Gateway{Kind: reachability.GatewayEndpoint}
		case r.String("vpcEndpointType") == "GatewayLoadBalancer" && len(subnets) > 0:
			found[r.ID] = reachability.Gateway{
				Kind:    reachability.FirewallEndpoint,
				Subnets: subnets,
				Down:    down(r),
				OneArm:  r.Object("tags").String(networkFirewallTag) == "true",
			}
		}
	}
}

// networkFirewallTag is the tag of the endpoints that AWS Network Firewall creates.
const networkFirewallTag = "AWSNetworkFirewallManaged"

// targets are the properties of a route that name its target, besides gatewayId.
var targets = []string{"natGatewayId", "transitGatewayId", "vpcEndpointId", "vpcPeeringConnectionId",
	"networkInterfaceId", "localGatewayId", "carrierGatewayId", "coreNetworkArn"}

// routeOf returns a route for IPv4, none for IPv6.
func routeOf(route props.Map) []reachability.Route {
	to := reachability.Route{
		PrefixList: route.String("destinationPrefixListId"),
		Target:     route.String("gatewayId"),
		Blackhole:  route.String("state") == "blackhole",
	}
	for _, target := range targets {
		to.Target = cmp.Or(to.Target, route.String(target))
	}
	if to.PrefixList != "" {
		return []reachability.Route{to}
	}
	for _, cidr := range prefixes(route.String("destinationCidrBlock")) {
		to.CIDR = cidr
		return []reachability.Route{to}
	}
	return nil
}

// aclOf returns the rules of a network ACL for TCP.
func aclOf(acl *props.Resource) reachability.ACL {
	var found reachability.ACL
	for _, rule := range acl.Objects("rules") {
		r := reachability.Rule{
			Number: int(rule.Number("number")),
			Allow:  rule.String("action") == "allow",
			Ports:  reachability.Range{Last: 65535},
		}
		switch rule.String("protocol") {
		case "-1", "all":
		case "6", "tcp":
			r.Ports = reachability.Range{First: uint32(rule.Number("fromPort")), Last: uint32(rule.Number("toPort"))}
		default:
			continue
		}
		for _, cidr := range prefixes(rule.String("cidrBlock")) {
			r.CIDR = cidr
			if rule.Bool("egress") {
				found.Egress = append(found.Egress, r)
			} else {
				found.Ingress = append(found.Ingress, r)
			}
		}
	}
	return found
}

// prefixes returns the IPv4 CIDRs among texts.
func prefixes(texts ...string) []netip.Prefix {
	var found []netip.Prefix
	for _, text := range texts {
		if cidr, err := netip.ParsePrefix(text); err == nil && cidr.Addr().Is4() {
			found = append(found, cidr.Masked())
		}
	}
	return found
}

// ranges returns the addresses of subnets outside the stack.
func (g *Graph) ranges(ids ...string) []reachability.Range { return rangesIn(g.given, ids...) }

func rangesIn(n *reachability.Network, ids ...string) []reachability.Range {
	var found []reachability.Range
	for _, subnet := range n.Subnets {
		if slices.Contains(ids, subnet.ID) {
			found = append(found, reachability.CIDRRange(subnet.CIDR))
		}
	}
	return found
}

// outOfExisting adds the way from a subnet outside the stack to the internet to the path, and reports whether it is not
// blocked. public is true if machines of the subnet have public addresses.
func (g *Graph) outOfExisting(p *status.Path, vpcID, subnet string, port int, public bool) bool {
	if !g.inExisting(p, vpcID, subnet) {
		return p.Broken() == nil
	}
	return extend(p, subnet, g.given.Outward(subnet, reachability.Connection{
		From: g.ranges(subnet), To: reachability.Internet(g.given.CIDRs), Port: port, ClientPorts: reachability.LinuxPorts,
		Public: public}), true)
}

// withinExisting adds the way from a subnet outside the stack to others of the VPC to the path, and reports whether it
// is not blocked.
func (g *Graph) withinExisting(p *status.Path, vpcID, subnet string, to []string, port int) bool {
	if !g.inExisting(p, vpcID, subnet) {
		return p.Broken() == nil
	}
	found := g.ranges(to...)
	if len(found) < len(to) {
		p.Hops = append(p.Hops, status.Hop{
			Kind:    hop(awstype.Subnet),
			Verdict: status.NotModelled,
			Why:     "not all of " + strings.Join(to, ", ") + " can be read",
		})
		return true
	}
	return extend(p, subnet, g.given.Outward(subnet, reachability.Connection{
		From:        g.ranges(subnet),
		To:          found,
		Port:        port,
		ClientPorts: reachability.LinuxPorts,
	}), false)
}

// inExisting reports whether a subnet outside the stack was read; otherwise it adds the reason to the path.
func (g *Graph) inExisting(p *status.Path, vpcID, subnet string) bool {
	switch {
	case g.given == nil:
		existing(p, vpcID, subnet)
	case g.unread[awstype.Subnet]:
		notModelled(p, awstype.Subnet, subnet, "cannot be read in "+vpcID)
	case len(g.ranges(subnet)) == 0:
		breaks(p, awstype.Subnet, nil, subnet+" does not exist in "+vpcID)
	default:
		return true
	}
	return false
}

// intoExisting adds the way from the internet into a subnet outside the stack to the path, and reports whether it is
// not blocked.
func (g *Graph) intoExisting(p *status.Path, vpcID, subnet string, port int) bool {
	if !g.inExisting(p, vpcID, subnet) {
		return p.Broken() == nil
	}
	return extend(p, subnet, g.given.Inward(subnet, reachability.Connection{
		From: reachability.Internet(g.given.CIDRs), To: g.ranges(subnet), Port: port, ClientPorts: reachability.AllPorts,
		Public: true}), true)
}

// extend adds the way of packets to the path. The path breaks if some are blocked: those from or to addresses on the
// internet that a rule denies by number are exceptions, as long as others pass.
func extend(p *status.Path, subnet string, flows []reachability.Flow, internet bool) bool {
	var blocked, passing *reachability.Flow
	var exceptions []string
	for i, flow := range flows {
		last := reachability.Step{}
		if n := len(flow.Steps); n > 0 {
			last = flow.Steps[n-1]
		}
		switch {
		case flow.Outcome != reachability.Blocked:
			if passing == nil || flow.Outcome == reachability.NotModelled && passing.Outcome != reachability.NotModelled {
				passing = &flows[i]
			}
		case internet && last.Exception:
			exceptions = append(exceptions, last.Why)
		case blocked == nil || !blocked.Certain(subnet) && flow.Certain(subnet):
			blocked = &flows[i]
		}
	}
	if passing == nil && blocked == nil && len(flows) > 0 {
		blocked = &flows[0]
	}
	p.Hops = append(p.Hops, status.Hop{
		Kind:    hop(awstype.Subnet),
		ID:      subnet,
		Verdict: status.Holds,
		Why:     "exists outside the stack",
	})
	if blocked != nil {
		addSteps(p, blocked.Steps[:len(blocked.Steps)-1])
		last := blocked.Steps[len(blocked.Steps)-1]
		if !blocked.Certain(subnet) {
			p.Hops = append(p.Hops, status.Hop{Kind: last.Kind, ID: last.ID, Verdict: status.NotModelled,
				Why: "blocked if the firewall returns packets to its endpoint: " + reply(last) + last.Why +
					"; the other side of a firewall with two interfaces is not modelled"})
			return true
		}
		p.Hops = append(p.Hops, status.Hop{Kind: last.Kind, ID: last.ID, Verdict: status.Breaks, Why: reply(last) + last.Why})
		return false
	}
	if passing != nil {
		addSteps(p, passing.Steps)
	}
	slices.Sort(exceptions)
	for _, exception := range slices.Compact(exceptions) {
		p.Hops = append(p.Hops, status.Hop{Kind: "network ACL", Verdict: status.Holds, Why: "except that " + exception})
	}
	return true
}

// addSteps adds steps that pass packets.
func addSteps(p *status.Path, steps []reachability.Step) {
	for _, step := range steps {
		h := status.Hop{Kind: step.Kind, ID: step.ID, Verdict: status.Holds, Why: reply(step) + step.Why}
		if step.Unknown {
			h.Verdict = status.NotModelled
		}
		p.Hops = append(p.Hops, h)
	}
}

func reply(step reachability.Step) string {
	if step.Reply {
		return "replies: "
	}
	return ""
}

// lists reports whether a prefix list contains the CIDR.
func (g *Graph) lists(id, cidr string) bool {
	return id != "" && slices.ContainsFunc(g.prefixLists[id], func(p netip.Prefix) bool { return holds(p.String(), cidr) })
}

// allowed describes whom a security group's rule allows.
func allowed(rule *props.Resource) string {
	return cmp.Or(cidrOf(rule), rule.String("prefixListId"), rule.String("referencedSecurityGroupId"))
}

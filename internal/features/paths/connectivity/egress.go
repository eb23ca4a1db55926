package connectivity

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/grouprules"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/reachability"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Nodes are nodes in one subnet.
type Nodes struct {
	Zone, Subnet string
	// Groups are the IDs of their security groups that exist, and Closed is true if these are all of them: without it,
	// nodes also have a group that HyperShift creates later, which allows all outbound traffic.
	Groups []string
	Closed bool
}

// Host is what nodes connect to.
type Host struct {
	// Name is its DNS name, or what is known of it; Address is its address if it has no name.
	Name    string
	Address netip.Addr
	Port    int
	// Service is the service of AWS in the VPC's region that has the name, "sts"; "" for other hosts. Requests are what
	// nodes ask of it, which the policy of its endpoint must allow.
	Service  string
	Requests []policy.Request
	// EndpointService is the name of the endpoint service through which it is reached, "" for none.
	EndpointService string
}

// Egress returns the path of nodes to a host: by an interface endpoint of its service whose private DNS has the host's
// name, by a gateway endpoint that the subnet's route table has, otherwise by the subnet's routes. A hop that is not
// modelled is one that a probe has to tell.
func Egress(g *Graph, c config.ClusterPaths, nodes Nodes, host Host) status.Path {
	w := egressWalk{clusterWalk{Graph: g, ClusterPaths: c, NodeGroups: nodes.Groups}, nodes, host}
	w.NodeSubnets = map[string]string{nodes.Zone: nodes.Subnet}
	if c.PublicOnly {
		w.ELBSubnets = w.NodeSubnets
	}
	p := status.Path{Name: fmt.Sprintf("node in %s -> %s:%d", nodes.Zone, host.Name, host.Port)}
	w.follow(&p)
	return p
}

// EgressToControlPlane returns the path of nodes to their control plane: over PrivateLink if it has any, otherwise over
// the internet.
func EgressToControlPlane(g *Graph, c config.ClusterPaths, nodes Nodes, host Host) status.Path {
	w := egressWalk{clusterWalk{Graph: g, ClusterPaths: c, NodeGroups: nodes.Groups}, nodes, host}
	w.NodeSubnets = maps.Clone(c.NodeSubnets)
	if c.PublicOnly {
		w.NodeSubnets = maps.Clone(c.ELBSubnets)
		w.ELBSubnets = w.NodeSubnets
	}
	w.NodeSubnets[nodes.Zone] = nodes.Subnet
	if !c.Private {
		p := w.toInternet(nodes.Zone, host.Port)
		if len(c.Allowed) > 0 {
			p = w.toPublicControlPlane(nodes.Zone, host.Port)
		}
		w.leaveGroups(&p, []string{anywhere}, nil)
		w.passACLs(&p, nodes.Subnet, host.Port, c.PublicOnly)
		return p
	}
	w.Port = host.Port
	service := privatelink.PrivateRouter
	if w.Port == privatelink.KubeAPIServerPrivate.Port() {
		service = privatelink.KubeAPIServerPrivate
	}
	w.Service = string(service)
	w.OperatorOwned = c.OperatorOwned || c.Service != w.Service
	if own := w.cidrsOf([]string{nodes.Subnet}); len(own) > 0 {
		w.MachineCIDR = own[0]
	}
	p := w.toControlPlane(nodes.Zone)
	w.leaveGroups(&p, []string{w.MachineCIDR}, nil)
	w.passACLs(&p, nodes.Subnet, host.Port, c.PublicOnly, slices.Sorted(maps.Values(w.NodeSubnets))...)
	return p
}

// LeaveGroups returns the path of nodes out of their security groups to a host whose address is not known here.
func LeaveGroups(g *Graph, nodes Nodes, host Host) status.Path {
	p := status.Path{Name: fmt.Sprintf("node in %s -> %s:%d", nodes.Zone, host.Name, host.Port)}
	egressWalk{clusterWalk{Graph: g}, nodes, host}.leaveGroups(&p, []string{anywhere}, nil)
	return p
}

// anywhere is the destination of a default route.
const anywhere = "0.0.0.0/0"

// egressWalk follows the path of nodes to a host.
type egressWalk struct {
	clusterWalk
	nodes Nodes
	host  Host
}

func (w egressWalk) follow(p *status.Path) {
	if w.host.EndpointService != "" {
		w.toService(p)
		return
	}
	if w.host.Address.IsValid() {
		w.toAddress(p)
		return
	}
	if w.host.Service != "" {
		if w.unread[awstype.VPCEndpoint] {
			notModelled(p, awstype.VPCEndpoint, "", "the VPC's endpoints cannot be read")
			return
		}
		for _, endpoint := range w.endpointsOf(w.host.Service) {
			switch kind := endpoint.String("vpcEndpointType"); {
			case kind == "Gateway" && w.routesTo(endpoint):
				w.byGateway(p, endpoint)
				return
			case kind == "Interface" && awstype.NamedInVPC(endpoint.Map):
				w.byInterface(p, endpoint, w.host.Port)
				return
			case kind == "Interface":
				beyond(p, awstype.VPCEndpoint, cmp.Or(endpoint.Name, endpoint.ID), "has no private DNS, so that "+w.host.Name+
					" has its public addresses")
			}
		}
	}
	p.Hops = append(p.Hops, w.toInternet(w.nodes.Zone, w.host.Port).Hops...)
	w.leaveGroups(p, []string{anywhere}, nil)
	w.passACLs(p, w.nodes.Subnet, w.host.Port, w.PublicOnly)
}

// endpointsOf returns the VPC's endpoints of a service of AWS: gateway endpoints first, because a name with private DNS
// of its own does not resolve to addresses that a gateway endpoint has.
func (w egressWalk) endpointsOf(service string) []*props.Resource {
	var found []*props.Resource
	for _, r := range w.byType[awstype.VPCEndpoint] {
		name := strings.TrimPrefix(strings.TrimPrefix(r.String("serviceName"), "cn."), "com.amazonaws.")
		_, of, _ := strings.Cut(name, ".")
		if r.String("vpcId") != w.VPCID || of != service ||
			slices.ContainsFunc(found, func(known *props.Resource) bool { return known.ID == r.ID }) {
			continue
		}
		found = append(found, r)
	}
	private := func(r *props.Resource) int {
		if awstype.NamedInVPC(r.Map) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b *props.Resource) int {
		return cmp.Or(cmp.Compare(private(a), private(b)),
			cmp.Compare(a.String("vpcEndpointType"), b.String("vpcEndpointType")))
	})
	return found
}

// tableID returns the ID of the route table of the nodes' subnet, "" if it is not known.
func (w egressWalk) tableID() string {
	if w.given != nil && w.ExistingVPC {
		for _, subnet := range w.given.Subnets {
			if subnet.ID == w.nodes.Subnet {
				return subnet.Table
			}
		}
		return ""
	}
	if table := w.table(w.nodes.Subnet); table != nil {
		return table.ID
	}
	return ""
}

// routesTo reports whether the nodes' route table has a gateway endpoint.
func (w egressWalk) routesTo(endpoint *props.Resource) bool {
	table := w.tableID()
	return table != "" && (slices.Contains(endpoint.Strings("routeTableIds"), table) ||
		w.find(awstype.VPCEndpointRouteTable, func(r *props.Resource) bool {
			return r.String("vpcEndpointId") == endpoint.ID && r.String("routeTableId") == table
		}) != nil)
}

// byGateway adds the way through a gateway endpoint to the path.
func (w egressWalk) byGateway(p *status.Path, endpoint *props.Resource) {
	if w.ExistingVPC {
		w.gatewayInExisting(p, endpoint)
	} else if _, table := w.leave(p, w.nodes.Subnet); table != nil {
		through(p, table, "the route of "+cmp.Or(endpoint.Name, endpoint.ID))
		through(p, endpoint, "serves "+w.host.Name)
	}
	if p.Broken() != nil {
		return
	}
	w.leaveGroups(p, []string{anywhere}, []string{endpoint.String("prefixListId")})
	w.passACLs(p, w.nodes.Subnet, w.host.Port, w.PublicOnly)
	w.judgePolicy(p, endpoint)
}

// gatewayInExisting adds the way from a subnet outside the stack to a gateway endpoint. Of a prefix list that cannot be
// read, the service's addresses may be any on the internet.
func (w egressWalk) gatewayInExisting(p *status.Path, endpoint *props.Resource) {
	if !w.inExisting(p, w.VPCID, w.nodes.Subnet) {
		return
	}
	network, table := *w.given, w.tableID()
	var list string
	for _, route := range network.Tables[table] {
		if route.Target == endpoint.ID {
			list = route.PrefixList
		}
	}
	network.PrefixLists = maps.Clone(network.PrefixLists)
	if list == "" {
		list = endpoint.ID
		network.Tables = maps.Clone(network.Tables)
		network.Tables[table] = append(slices.Clone(network.Tables[table]),
			reachability.Route{PrefixList: list, Target: endpoint.ID})
	}
	to := reachability.Internet(network.CIDRs)
	if known := network.PrefixLists[list]; len(known) > 0 {
		to = nil
		for _, cidr := range known {
			to = append(to, reachability.CIDRRange(cidr))
		}
	} else {
		network.PrefixLists[list] = prefixes("0.0.0.0/1", "128.0.0.0/1")
	}
	extend(p, w.nodes.Subnet, network.Outward(w.nodes.Subnet, reachability.Connection{
		From: w.ranges(w.nodes.Subnet), To: to, Port: w.host.Port, ClientPorts: reachability.LinuxPorts}), true)
}

// byInterface adds the way to an interface endpoint to the path, past its security groups and by its policy.
func (w egressWalk) byInterface(p *status.Path, endpoint *props.Resource, port int) {
	subnets := endpoint.Strings("subnetIds")
	from := w.MachineCIDR
	if w.ExistingVPC {
		if !w.withinExisting(p, w.VPCID, w.nodes.Subnet, subnets, port) {
			return
		}
		if w.given != nil {
			if own := w.ranges(w.nodes.Subnet); len(own) > 0 {
				from = own[0].String()
			}
		}
	} else {
		subnet, table := w.leave(p, w.nodes.Subnet)
		if table == nil {
			return
		}
		through(p, table, "the VPC's own route")
		from = subnet.String("cidrBlock")
	}
	if state := endpoint.String("state"); state != "" && !strings.EqualFold(state, "available") && state != plannedState {
		breaks(p, awstype.VPCEndpoint, endpoint, "is "+state)
		return
	}
	if !w.admit(p, endpoint, from, w.NodeGroups, port) {
		return
	}
	w.leaveGroups(p, w.cidrsOf(subnets), endpoint.Strings("securityGroupIds"))
	if len(subnets) > 0 {
		w.passACLs(p, w.nodes.Subnet, port, w.PublicOnly, subnets...)
	}
	if p.Broken() != nil {
		return
	}
	through(p, endpoint, "serves "+w.host.Name)
	w.judgePolicy(p, endpoint)
}

// cidrsOf returns the CIDRs of subnets that are known.
func (w egressWalk) cidrsOf(subnets []string) []string {
	var cidrs []string
	for _, id := range subnets {
		if subnet := w.withID(awstype.Subnet, id); subnet != nil && subnet.String("cidrBlock") != "" {
			cidrs = append(cidrs, subnet.String("cidrBlock"))
		}
	}
	if w.given != nil {
		for _, one := range w.ranges(subnets...) {
			cidrs = append(cidrs, one.String())
		}
	}
	return cidrs
}

// toService adds the way to an endpoint of another endpoint service to the path, such as that of a proxy.
func (w egressWalk) toService(p *status.Path) {
	endpoint := w.find(awstype.VPCEndpoint, func(r *props.Resource) bool {
		return r.String("vpcId") == w.VPCID && r.String("serviceName") == w.host.EndpointService
	})
	if endpoint == nil {
		notModelled(p, awstype.VPCEndpoint, "", "the endpoint of "+w.host.EndpointService+" cannot be read")
		return
	}
	w.byInterface(p, endpoint, w.host.Port)
}

// toAddress adds the way to an address to the path.
func (w egressWalk) toAddress(p *status.Path) {
	cidr := netip.PrefixFrom(w.host.Address, w.host.Address.BitLen()).String()
	if w.ExistingVPC {
		if !w.inExisting(p, w.VPCID, w.nodes.Subnet) {
			return
		}
		inside := slices.ContainsFunc(w.given.CIDRs, func(block netip.Prefix) bool { return block.Contains(w.host.Address) })
		extend(p, w.nodes.Subnet, w.given.Outward(w.nodes.Subnet, reachability.Connection{
			From: w.ranges(w.nodes.Subnet), To: []reachability.Range{reachability.CIDRRange(netip.PrefixFrom(w.host.Address,
				32))},
			Port: w.host.Port, ClientPorts: reachability.LinuxPorts, Public: w.PublicOnly}), false)
		if inside && p.Broken() == nil {
			notModelled(p, awstype.SecurityGroup, "", "that of "+w.host.Address.String()+" is not read")
		}
	} else {
		w.addressByRoute(p)
		w.passACLsTo(p, w.nodes.Subnet, w.host.Port, w.PublicOnly,
			[]reachability.Range{reachability.CIDRRange(netip.MustParsePrefix(cidr))}, false)
	}
	w.leaveGroups(p, []string{cidr}, nil)
}

// addressByRoute adds the way by the routes of a subnet that the stack creates: the longest one that has the address.
func (w egressWalk) addressByRoute(p *status.Path) {
	vpc := w.withID(awstype.VPC, w.VPCID)
	if vpc != nil && slices.ContainsFunc(prefixes(vpc.String("cidrBlock")), func(block netip.Prefix) bool {
		return block.Contains(w.host.Address)
	}) {
		if _, table := w.leave(p, w.nodes.Subnet); table != nil {
			through(p, table, "the VPC's own route")
			notModelled(p, awstype.SecurityGroup, "", "that of "+w.host.Address.String()+" is not read")
		}
		return
	}
	table := w.table(w.nodes.Subnet)
	var best *props.Resource
	bits := 0
	for _, route := range w.byType[awstype.Route] {
		for _, cidr := range prefixes(route.String("destinationCidrBlock")) {
			if table != nil && route.String("routeTableId") == table.ID && cidr.Bits() > bits && cidr.Contains(w.host.Address) {
				best, bits = route, cidr.Bits()
			}
		}
	}
	switch {
	case best == nil && w.host.Address.IsPrivate() && table != nil && w.throughInternet(table):
		if _, table := w.leave(p, w.nodes.Subnet); table != nil {
			breaks(p, awstype.RouteTable, table, "has no route to "+w.host.Address.String()+" but the one to the internet")
		}
	case best == nil:
		p.Hops = append(p.Hops, w.toInternet(w.nodes.Zone, w.host.Port).Hops...)
	case best.String("transitGatewayId") != "":
		through(p, table, best.String("destinationCidrBlock")+" by "+best.Name)
		w.toTransit(p, w.VPCID, best.String("transitGatewayId"))
	case best.String("vpcEndpointId") != "":
		through(p, table, best.String("destinationCidrBlock")+" by "+best.Name)
		w.toFirewall(p, best.String("vpcEndpointId"))
	default:
		notModelled(p, awstype.RouteTable, table.ID, "the target of "+best.Name+" is not modelled")
	}
}

// throughInternet reports whether a table's default route leads to a NAT gateway or an internet gateway.
func (w egressWalk) throughInternet(table *props.Resource) bool {
	route := w.defaultRoute(table.ID)
	return route != nil && (route.String("natGatewayId") != "" || route.String("gatewayId") != "")
}

// leaveGroups breaks a path if the nodes' security groups allow no traffic to the CIDRs, or to what has one of the
// peers: security groups, or a prefix list. The rules of several groups apply together.
func (w egressWalk) leaveGroups(p *status.Path, cidrs, peers []string) {
	if !w.nodes.Closed || p.Broken() != nil {
		return
	}
	groups := strings.Join(w.nodes.Groups, ", ")
	if w.unread[awstype.SecurityGroupEgressRule] {
		notModelled(p, awstype.SecurityGroup, groups, "the outbound rules cannot be read")
		return
	}
	for _, rule := range w.byType[awstype.SecurityGroupEgressRule] {
		if slices.Contains(w.nodes.Groups, rule.String("securityGroupId")) && opens(rule, w.host.Port) &&
			(slices.Contains(peers, rule.String("referencedSecurityGroupId")) &&
				rule.String("referencedSecurityGroupId") != "" ||
				slices.Contains(peers, rule.String("prefixListId")) && rule.String("prefixListId") != "") {
			return
		}
	}
	open := w.allowedTogether(awstype.SecurityGroupEgressRule, w.nodes.Groups, w.host.Port)
	lists := w.unreadLists(awstype.SecurityGroupEgressRule, w.nodes.Groups, w.host.Port)
	for _, cidr := range cidrs {
		rest, known := grouprules.Uncovered(cidr, open)
		switch {
		case !known || len(rest) == 0:
		case len(lists) > 0:
			notModelled(p, awstype.SecurityGroup, groups, unreadable(w.host.Port, lists))
		case cidr == anywhere && len(open) > 0:
			notModelled(p, awstype.SecurityGroup, groups, fmt.Sprintf("allows port %d to %s only, and the addresses of %s are "+
				"not known here", w.host.Port, strings.Join(open, ", "), w.host.Name))
		default:
			breaks(p, awstype.SecurityGroup, &props.Resource{ID: groups}, fmt.Sprintf("no outbound rule allows %s on port %d",
				rest[0], w.host.Port))
			return
		}
	}
}

// EndpointPolicy is the kind of the hop that an endpoint's policy decides. NetworkACL and SecurityGroup are those of
// others that the owner of a subnet can open.
const (
	EndpointPolicy = "endpoint policy"
	NetworkACL     = "network ACL"
	SecurityGroup  = "security group"
)

// somebody is a caller of whom only what a policy grants to everybody is true.
const somebody = "arn:aws:sts::000000000000:assumed-role/unknown/unknown"

// judgePolicy adds the policy of an endpoint to the path: it breaks if the policy denies a request whoever makes it,
// and it is not known if that depends on the caller, on conditions or on the resource.
func (w egressWalk) judgePolicy(p *status.Path, endpoint *props.Resource) {
	text := endpoint.String("policy")
	if text == "" || len(w.host.Requests) == 0 {
		return
	}
	decide := func(verdict status.HopVerdict, why string) {
		p.Hops = append(p.Hops, status.Hop{Kind: EndpointPolicy, Name: endpoint.Name, ID: endpoint.ID, Verdict: verdict,
			Why: why})
	}
	document, err := policy.Parse(text)
	if err != nil {
		decide(status.NotModelled, "cannot be read")
		return
	}
	var unsure []string
	for _, request := range w.host.Requests {
		best := request
		best.Partial = true
		if policy.Evaluate(best, document) != policy.Allowed {
			decide(status.Breaks, "does not allow "+request.Action+onResource(request.Resource))
			return
		}
		worst := request
		worst.Caller = policy.Caller{AWS: somebody}
		worst.Resource = cmp.Or(worst.Resource, "arn:aws:unknown:::unknown")
		if policy.Evaluate(worst, document) != policy.Allowed {
			unsure = append(unsure, request.Action)
		}
	}
	if len(unsure) > 0 {
		decide(status.NotModelled, "allows "+strings.Join(unsure, ", ")+
			" to some callers, on some resources or on conditions")
	}
}

func onResource(arn string) string {
	if arn == "" {
		return ""
	}
	return " on " + arn
}

// VPCCIDRs returns the IPv4 CIDRs of the VPC outside the stack, as far as they are read.
func (g *Graph) VPCCIDRs() []string {
	var cidrs []string
	if g.given != nil {
		for _, cidr := range g.given.CIDRs {
			cidrs = append(cidrs, cidr.String())
		}
	}
	return cidrs
}

// GroupNamed returns the ID of the security group with a name in a VPC, "" if there is none or if groups are not read.
func (g *Graph) GroupNamed(vpcID, name string) string {
	if group := g.find(awstype.SecurityGroup, func(r *props.Resource) bool {
		return r.String("vpcId") == vpcID && r.String("name") == name
	}); group != nil {
		return group.ID
	}
	return ""
}

// PrivateDNSEndpoint returns the interface endpoint of a service of AWS in a VPC that has private DNS, "" for none.
func (g *Graph) PrivateDNSEndpoint(vpcID, service string) string {
	w := egressWalk{clusterWalk: clusterWalk{Graph: g, ClusterPaths: config.ClusterPaths{VPCID: vpcID}}}
	for _, endpoint := range w.endpointsOf(service) {
		if endpoint.String("vpcEndpointType") == "Interface" && awstype.NamedInVPC(endpoint.Map) {
			return "endpoint " + cmp.Or(endpoint.Name, endpoint.ID)
		}
	}
	return ""
}

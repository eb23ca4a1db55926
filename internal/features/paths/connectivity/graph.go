package connectivity

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/grouprules"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/reachability"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// Graph is a set of resources that refer to each other by their IDs.
type Graph struct {
	byType map[string][]*props.Resource
	// given is the VPC outside the stack, nil if there is none or if it is not read.
	given *reachability.Network
	// own is the stack's VPC as AWS has it, nil if it does not exist or is not read.
	own *reachability.Network
	// prefixLists are the CIDRs of prefix lists by ID.
	prefixLists map[string][]netip.Prefix
	// unread are the types of the VPC outside the stack that cannot be listed.
	unread map[string]bool
}

// NewGraph returns the graph of the resources.
func NewGraph(resources []props.Resource) *Graph {
	g := &Graph{byType: map[string][]*props.Resource{}, prefixLists: map[string][]netip.Prefix{}}
	for _, r := range resources {
		g.byType[r.Type] = append(g.byType[r.Type], &r)
	}
	return g
}

// find returns the first resource of the type that fits, or nil where none does.
func (g *Graph) find(token string, fits func(*props.Resource) bool) *props.Resource {
	if i := slices.IndexFunc(g.byType[token], fits); i >= 0 {
		return g.byType[token][i]
	}
	return nil
}

// withID returns the resource of the type with that ID.
func (g *Graph) withID(token, id string) *props.Resource {
	return g.find(token, func(r *props.Resource) bool { return r.ID == id })
}

// table returns the route table that a subnet is associated with.
func (g *Graph) table(subnetID string) *props.Resource {
	association := g.find(awstype.RouteTableAssociation, func(r *props.Resource) bool {
		return r.String("subnetId") == subnetID
	})
	if association == nil {
		return nil
	}
	return g.withID(awstype.RouteTable, association.String("routeTableId"))
}

// defaultRoute returns a table's route for 0.0.0.0/0.
func (g *Graph) defaultRoute(tableID string) *props.Resource {
	return g.find(awstype.Route, func(r *props.Resource) bool {
		return r.String("routeTableId") == tableID && r.String("destinationCidrBlock") == "0.0.0.0/0"
	})
}

// lets returns the rule of a security group that allows TCP from the CIDR, or from one of the client's security groups,
// on the port; if there are several, the one with exactly this CIDR, otherwise the first by name.
func (g *Graph) lets(groupID, cidr string, client []string, port int) *props.Resource {
	var best *props.Resource
	for _, r := range g.byType[awstype.SecurityGroupIngressRule] {
		if r.String("securityGroupId") != groupID || !g.matches(r, cidr, client) || !opens(r, port) {
			continue
		}
		exact, bestExact := cidrOf(r) == cidr, best != nil && cidrOf(best) == cidr
		if best == nil || exact && !bestExact || exact == bestExact && r.Name < best.Name {
			best = r
		}
	}
	return best
}

// matches reports whether a security group's rule is for all addresses of the CIDR, or for one of the groups that the
// other end has.
func (g *Graph) matches(rule *props.Resource, cidr string, groups []string) bool {
	return holds(cidrOf(rule), cidr) || g.lists(rule.String("prefixListId"), cidr) ||
		slices.Contains(groups, rule.String("referencedSecurityGroupId"))
}

// cidrOf returns the IPv4 or IPv6 CIDR of a security group's rule, "" if it has neither.
func cidrOf(rule *props.Resource) string {
	return cmp.Or(rule.String("cidrIpv4"), rule.String("cidrIpv6"))
}

// opens reports whether a security group's rule is for TCP on the port.
func opens(rule *props.Resource, port int) bool {
	return grouprules.Opens(rule.Map, grouprules.TCP(port))
}

// holds reports whether the inner CIDR is part of the outer one.
func holds(outer, inner string) bool {
	if outer != "" && outer == inner { // also if both are an address that is known only after the update
		return true
	}
	o, err := netip.ParsePrefix(outer)
	if err != nil {
		return false
	}
	i, err := netip.ParsePrefix(inner)
	return err == nil && o.Bits() <= i.Bits() && o.Contains(i.Addr())
}

// sameName reports whether two domain names are equal, ignoring case and a final dot.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, "."), strings.TrimSuffix(b, "."))
}

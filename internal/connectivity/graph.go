package connectivity

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// Resource is a resource in AWS, as recorded in the engine's state.
type Resource struct {
	// Name is the resource's name in the program, and Type its token, "aws:ec2/subnet:Subnet".
	Name, Type string
	// ID is the ID in AWS.
	ID string
	// Properties are its outputs.
	Properties map[string]any
}

// Graph is a set of resources that refer to each other by their IDs.
type Graph struct{ byType map[string][]*Resource }

// NewGraph returns the graph of the resources.
func NewGraph(resources []Resource) *Graph {
	g := &Graph{byType: map[string][]*Resource{}}
	for _, r := range resources {
		g.byType[r.Type] = append(g.byType[r.Type], &r)
	}
	return g
}

// find returns the first resource of the type that fits, or nil where none does.
func (g *Graph) find(token string, fits func(*Resource) bool) *Resource {
	if i := slices.IndexFunc(g.byType[token], fits); i >= 0 {
		return g.byType[token][i]
	}
	return nil
}

// withID returns the resource of the type with that ID.
func (g *Graph) withID(token, id string) *Resource {
	return g.find(token, func(r *Resource) bool { return r.ID == id })
}

// table returns the route table that a subnet is associated with.
func (g *Graph) table(subnetID string) *Resource {
	association := g.find(awstype.RouteTableAssociation, func(r *Resource) bool { return r.text("subnetId") == subnetID })
	if association == nil {
		return nil
	}
	return g.withID(awstype.RouteTable, association.text("routeTableId"))
}

// defaultRoute returns a table's route for 0.0.0.0/0.
func (g *Graph) defaultRoute(tableID string) *Resource {
	return g.find(awstype.Route, func(r *Resource) bool {
		return r.text("routeTableId") == tableID && r.text("destinationCidrBlock") == "0.0.0.0/0"
	})
}

// lets returns the rule of a security group that allows TCP from the CIDR on the port; if there are several, the one with exactly this
// CIDR, otherwise the first by name.
func (g *Graph) lets(groupID, cidr string, port int) *Resource {
	var best *Resource
	for _, r := range g.byType[awstype.SecurityGroupIngressRule] {
		if r.text("securityGroupId") != groupID || !holds(r.text("cidrIpv4"), cidr) || !r.opens(port) {
			continue
		}
		exact, bestExact := r.text("cidrIpv4") == cidr, best != nil && best.text("cidrIpv4") == cidr
		if best == nil || exact && !bestExact || exact == bestExact && r.Name < best.Name {
			best = r
		}
	}
	return best
}

// opens reports whether a security group's rule is for TCP on the port.
func (r *Resource) opens(port int) bool {
	protocol := r.text("ipProtocol")
	return protocol == "-1" || protocol == "tcp" && r.number("fromPort") <= port && port <= r.number("toPort")
}

// contains reports whether the inner CIDR is part of the outer one.
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

func (r *Resource) text(name string) string {
	text, _ := r.Properties[name].(string)
	return text
}

func (r *Resource) number(name string) int {
	number, _ := r.Properties[name].(float64)
	return int(number)
}

func (r *Resource) texts(name string) []string {
	var texts []string
	list, _ := r.Properties[name].([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func (r *Resource) objects(name string) []*Resource {
	var objects []*Resource
	list, _ := r.Properties[name].([]any)
	for _, item := range list {
		if properties, ok := item.(map[string]any); ok {
			objects = append(objects, &Resource{Properties: properties})
		}
	}
	return objects
}

func (r *Resource) tag(key string) string {
	tags, _ := r.Properties["tags"].(map[string]any)
	text, _ := tags[key].(string)
	return text
}

// sameName reports whether two domain names are equal, ignoring case and a final dot.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, "."), strings.TrimSuffix(b, "."))
}

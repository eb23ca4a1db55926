package picture

import (
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// box is a rectangle with a resource and those that belong to it.
type box struct {
	*item
	kind    kind
	details []string
	// lines are the resources drawn as a line of text, chips those drawn as a small square.
	lines, chips []*item
	// zone is the availability zone, "" for none or several.
	zone string
	// uses are the boxes that an arrow points to: from who assumes a role to the role, and from the role to what its
	// policies allow.
	uses []*box
	// row and policies are drawn beside a role: who is first seen with it, and what its policies allow.
	row      []*box
	policies *box
	// reaches are the resources of the stack that policies allow actions on.
	reaches []reachOf
	// x, y, w and h are in pixels.
	x, y, w, h int
}

// reachOf is a resource that policies reach. An arrow to it is drawn if it is a role to assume; others are highlighted
// with a path.
type reachOf struct {
	item  *item
	drawn bool
}

// edge is a line between two boxes, in the direction of traffic or of use.
type edge struct {
	from, to *box
	// drawn edges are always visible; the others are highlighted with a path.
	drawn bool
}

// Measures of a box, in pixels.
const (
	boxWidth   = 264
	headHeight = 58
	lineHeight = 16
	padding    = 10
	chipSize   = 9
	anchor     = 26 // where arrows meet a box, below its top: half of the lowest box
	chipsALine = (boxWidth - 2*padding) / (chipSize + 3)
)

// height returns a box's height, determined by its content.
func (b *box) height() int {
	h := headHeight + lineHeight*len(b.details)
	if b.shownID() == "" {
		h -= lineHeight
	}
	if len(b.lines) > 0 {
		h += 6 + lineHeight*len(b.lines)
	}
	if n := len(b.chips); n > 0 {
		h += 6 + (chipSize+3)*((n+chipsALine-1)/chipsALine)
	}
	return h + padding
}

// shownID returns the ID that is drawn. A provider's ID is Pulumi's own, and is omitted.
func (b *box) shownID() string {
	if b.kind.section == accounts {
		return ""
	}
	return b.id()
}

// boxesOf creates a box for every item or, as a line, adds it to the box of its owner.
func boxesOf(g *graph) []*box {
	byItem := map[*item]*box{}
	var list []*box
	main := g.mainAccount()
	for _, it := range g.items {
		if it.owner() == nil {
			b := &box{item: it, kind: kindOf(string(it.Type)), w: boxWidth}
			if b.kind.details != nil {
				b.details = b.kind.details(it)
			}
			if it.account != "" && it.account != main {
				b.details = append(b.details, "in account "+it.account)
			}
			if b.kind.section == accounts {
				b.details = append(accountLines(it), it.contents()...)
			}
			byItem[it] = b
			list = append(list, b)
		}
	}
	for _, it := range g.items {
		owner := it.owner()
		if owner == nil {
			continue
		}
		if b := byItem[owner]; rows[string(it.Type)].chip {
			b.chips = append(b.chips, it)
		} else {
			b.lines = append(b.lines, it)
		}
	}
	for _, b := range list {
		b.h = b.height()
	}
	placeInZones(list, byItem)
	return addAccess(g, list)
}

// existingBoxes returns the boxes of the VPCs and the subnets of others, dashed as all that the stack does not manage.
func existingBoxes(g *graph, existing []config.Existing) (list []*box) {
	for _, e := range existing {
		var details []string
		if account := g.accountOfProvider(e.Provider); e.Owner != "" {
			details = []string{"shared by account " + e.Owner}
		} else if e.Provider != "" && account != "" {
			details = []string{"in account " + account}
		}
		b := newOutside(g, network, outside{"existing " + string(e.Kind), e.Name, "existing " + e.Name}, details...)
		if b.kind.column, b.zone = subnetColumn, e.Zone; e.Kind == config.ExistingVPC || e.Kind == config.ExistingClientVPC {
			b.kind.column = vpcColumn
		}
		list = append(list, b)
	}
	return list
}

// accountLines returns the account and region of a provider.
func accountLines(r *item) []string {
	var list []string
	for _, text := range []string{r.account, r.text("region")} {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// placeInZones sets the zone of each box of the network: for a subnet its own zone, for a route table the zone of its
// subnets if they share one, and for a gateway or instance its subnet's zone.
func placeInZones(list []*box, byItem map[*item]*box) {
	for _, b := range list {
		if string(b.Type) == awstype.Subnet {
			b.zone = b.text("availabilityZone")
		}
	}
	for _, b := range list {
		switch string(b.Type) {
		case awstype.NATGateway, awstype.Instance:
			for _, in := range b.targets("subnetId", awstype.Subnet) {
				b.zone = byItem[in].zone
			}
		case awstype.RouteTable:
			zones := map[string]bool{}
			for _, line := range b.lines {
				for _, subnet := range line.targets("subnetId", awstype.Subnet) {
					if string(line.Type) == awstype.RouteTableAssociation {
						zones[byItem[subnet].zone] = true
					}
				}
			}
			for zone := range zones {
				if len(zones) == 1 {
					b.zone = zone
				}
			}
		}
	}
}

// edgesOf finds the lines between the boxes.
func edgesOf(list []*box) []edge {
	boxes := map[*item]*box{}
	for _, b := range list {
		boxes[b.item] = b
		for _, it := range slices.Concat(b.lines, b.chips) {
			boxes[it] = b
		}
	}
	var edges []edge
	add := func(from, to *box, drawn bool) {
		if from == nil || to == nil || from == to {
			return
		}
		i := slices.IndexFunc(edges, func(e edge) bool { return e.from == from && e.to == to })
		if i >= 0 {
			edges[i].drawn = edges[i].drawn || drawn
			return
		}
		edges = append(edges, edge{from, to, drawn})
	}
	for _, b := range list {
		for _, to := range b.uses {
			add(b, to, true)
		}
		for _, to := range b.reaches {
			add(b, boxes[to.item], to.drawn)
		}
		for _, it := range slices.Concat([]*item{b.item}, b.lines, b.chips) {
			for _, way := range ways[string(it.Type)] {
				for _, other := range it.targets(way.property, way.types...) {
					if way.reverse {
						add(boxes[other], b, way.drawn)
					} else {
						add(b, boxes[other], way.drawn)
					}
				}
			}
			for _, property := range slices.Sorted(maps.Keys(it.PropertyDependencies)) {
				if has(ways[string(it.Type)], string(property)) {
					continue
				}
				for _, urn := range it.PropertyDependencies[property] {
					if other := it.graph.byURN[urn]; other != nil && isPath(b, string(property), boxes[other]) {
						add(b, boxes[other], false)
					}
				}
			}
			if string(it.Type) == awstype.VPCEndpoint {
				for _, service := range it.targets("serviceName", awstype.VPCEndpointService) {
					add(b, boxes[service], true)
				}
			}
		}
	}
	return edges
}

// way is a property that describes a path of traffic, and is drawn as an edge.
type way struct {
	property string
	types    []string
	// reverse edges start at the resource that is referred to.
	reverse, drawn bool
}

// ways lists, by type, the properties that describe paths of traffic. Any other reference is an edge that is not drawn.
var ways = map[string][]way{
	awstype.RouteTableAssociation: {{"subnetId", []string{awstype.Subnet}, true, true}},
	awstype.Route: {{"natGatewayId", []string{awstype.NATGateway}, false, true},
		{"gatewayId", []string{awstype.InternetGateway}, false, true},
		{"egressOnlyGatewayId", []string{awstype.EgressOnlyGateway}, false, true},
		{"networkInterfaceId", []string{awstype.Instance}, false, true},
		{"vpcEndpointId", []string{awstype.VPCEndpoint}, false, true}},
	awstype.VPCEndpoint: {{"subnetIds", []string{awstype.Subnet}, true, false},
		{"routeTableIds", []string{awstype.RouteTable}, true, true}},
	awstype.VPCEndpointService: {{"networkLoadBalancerArns", []string{awstype.LoadBalancer}, false, true}},
	awstype.InternetGateway:    {{"vpcId", []string{awstype.VPC}, false, false}},
	awstype.EgressOnlyGateway:  {{"vpcId", []string{awstype.VPC}, false, false}},
	awstype.NATGateway: {{"subnetId", []string{awstype.Subnet}, false, false},
		{"allocationId", nil, false, false}},
	awstype.ResourceShare: {},
}

// isPath reports whether a reference is part of a path. References in policies are not: most policies refer to most of
// a stack.
func isPath(from *box, property string, to *box) bool {
	if from == nil || to == nil {
		return false
	}
	if from.kind.section == identity || to.kind.section == identity {
		return property == "assumeRolePolicy" && string(to.Type) == awstype.OIDCProvider
	}
	return true
}

func has(list []way, property string) bool {
	return slices.ContainsFunc(list, func(w way) bool { return w.property == property })
}

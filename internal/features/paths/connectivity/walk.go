package connectivity

import (
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// clusterWalk follows the paths of a cluster in a graph.
type clusterWalk struct {
	*Graph
	config.ClusterPaths
	// NodeGroups are the IDs of the nodes' security groups that are known.
	NodeGroups []string
}

// Walk follows the four kinds of path, zone by zone and name by name.
func Walk(g *Graph, c config.ClusterPaths) []status.Path {
	if c.PublicOnly {
		c.NodeSubnets = c.ELBSubnets
	}
	w := clusterWalk{Graph: g, ClusterPaths: c}
	var paths []status.Path
	if c.Private {
		for _, zone := range slices.Sorted(maps.Keys(c.NodeSubnets)) {
			paths = append(paths, w.toControlPlane(zone))
		}
		for _, name := range c.Names {
			paths = append(paths, w.name(name))
		}
		paths = append(paths, w.fromElsewhere()...)
	} else {
		absent := "endpointAccess Public: nodes reach the control plane over the internet"
		paths = append(paths, status.Path{Name: "node -> control plane over PrivateLink", Absent: absent},
			status.Path{Name: "names in the local zone -> endpoint", Absent: absent})
		if len(c.Allowed) > 0 {
			for _, zone := range slices.Sorted(maps.Keys(c.NodeSubnets)) {
				paths = append(paths, w.toPublicControlPlane(zone, httpsPort))
			}
		}
	}
	if c.Public {
		for _, zone := range slices.Sorted(maps.Keys(c.ELBSubnets)) {
			paths = append(paths, w.toLoadBalancer(zone))
		}
	} else {
		paths = append(paths, status.Path{
			Name:   "user -> public load balancer",
			Absent: "endpointAccess Private: nothing is reachable over the internet",
		})
	}
	if c.NoInternet != "" {
		return append(paths, status.Path{Name: "node -> internet", Absent: c.NoInternet})
	}
	for _, zone := range slices.Sorted(maps.Keys(c.NodeSubnets)) {
		paths = append(paths, w.toInternet(zone, httpsPort))
	}
	return paths
}

// existing adds resources outside the stack to the path.
func existing(p *status.Path, vpcID, subnetID string) {
	beyond(p, awstype.Subnet, subnetID, vpcID+" exists outside the stack, with its subnets and routes")
}

// leave begins a path in a node's subnet, and returns the subnet and its route table; nil if the path breaks.
func (g *Graph) leave(p *status.Path, subnetID string) (subnet, table *props.Resource) {
	subnet = g.withID(awstype.Subnet, subnetID)
	if subnet == nil {
		breaks(p, awstype.Subnet, nil, subnetID+" does not exist")
		return nil, nil
	}
	through(p, subnet, subnet.String("cidrBlock"))
	table = g.table(subnetID)
	if table == nil {
		breaks(p, awstype.RouteTable, nil, "no route table of the stack is associated with "+subnetID+
			", so it uses the VPC's main route table")
		return nil, nil
	}
	return subnet, table
}

// through adds a hop that passes traffic.
func through(p *status.Path, r *props.Resource, why string) {
	p.Hops = append(p.Hops, status.Hop{Kind: hop(r.Type), Name: r.Name, ID: r.ID, Verdict: status.Holds, Why: why})
}

// breaks ends the path with a hop of the type that does not pass traffic; r is the cause, nil if the resource does not
// exist.
func breaks(p *status.Path, token string, r *props.Resource, why string) {
	last := status.Hop{Kind: hop(token), Verdict: status.Breaks, Why: why}
	if r != nil {
		last.Name, last.ID = r.Name, r.ID
	}
	p.Hops = append(p.Hops, last)
}

// beyond adds a hop of the type that is not in the graph.
func beyond(p *status.Path, token, id, why string) {
	p.Hops = append(p.Hops, status.Hop{Kind: hop(token), ID: id, Verdict: status.Beyond, Why: why})
}

// notModelled adds a hop of the type that may pass traffic, depending on what is not known here.
func notModelled(p *status.Path, token, id, why string) {
	p.Hops = append(p.Hops, status.Hop{Kind: hop(token), ID: id, Verdict: status.NotModelled, Why: why})
}

// hop returns the name of a type in a path.
func hop(token string) string {
	record, _ := awstype.Lookup(token)
	return record.Hop
}

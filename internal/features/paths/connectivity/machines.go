package connectivity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// The roles of security groups. Machines are in Node and LB. Machines of the control plane are also in ControlPlane.
const (
	balancerGroup     = "apiserver-lb"
	machineGroup      = "lb"
	controlPlaneGroup = "controlplane"
	nodeGroup         = "node"
)

// PlannedMachines adds the IDs of planned resources in a graph to a cluster.
func (g *Graph) PlannedMachines(m config.MachinePaths) config.MachinePaths {
	private, public := g.subnetsWith(hypershift.InternalELBTag), g.subnetsWith(hypershift.PublicELBTag)
	if !m.ExistingVPC {
		m.VPCID, m.NodeSubnets, m.BalancerSubnets = g.onlyVPC(), map[string]string{}, map[string]string{}
		zones := maps.Clone(private)
		maps.Copy(zones, public)
		for zone := range zones {
			m.Place(zone, private[zone], public[zone])
		}
	}
	m.Groups = map[string]string{}
	for _, role := range []string{balancerGroup, machineGroup, controlPlaneGroup, nodeGroup} {
		if group := g.find(awstype.SecurityGroup, func(r *props.Resource) bool {
			return r.String("name") == m.Name+"-"+role
		}); group != nil {
			m.Groups[role] = group.ID
		}
	}
	if bastion := g.find(awstype.Instance, func(*props.Resource) bool { return true }); bastion != nil {
		m.BastionID = bastion.ID
	}
	return m
}

// machineWalk follows the paths of a cluster of CAPA in a graph.
type machineWalk struct {
	*Graph
	config.MachinePaths
}

// WalkMachines follows the four kinds of path of a cluster of CAPA: client -> load balancer -> control plane, node ->
// load balancer, node -> internet and bastion -> node.
func WalkMachines(g *Graph, m config.MachinePaths) []status.Path {
	w := machineWalk{g, m}
	var paths []status.Path
	for _, zone := range slices.Sorted(maps.Keys(m.BalancerSubnets)) {
		paths = append(paths, w.clientToControlPlane(zone))
	}
	zones := slices.Sorted(maps.Keys(m.NodeSubnets))
	for _, zone := range zones {
		paths = append(paths, w.machineToBalancer(zone))
	}
	internet := clusterWalk{
		Graph:        g,
		ClusterPaths: config.ClusterPaths{ExistingVPC: m.ExistingVPC, VPCID: m.VPCID, NodeSubnets: m.NodeSubnets},
	}
	if m.Public {
		internet.ELBSubnets = m.NodeSubnets
	}
	for _, zone := range zones {
		if m.NoInternet == "" {
			paths = append(paths, internet.toInternet(zone, httpsPort))
		}
	}
	if m.NoInternet != "" {
		paths = append(paths, status.Path{Name: "node -> internet", Absent: m.NoInternet})
	}
	if m.NoBastion != "" {
		return append(paths, status.Path{Name: "bastion -> node", Absent: m.NoBastion})
	}
	for _, zone := range zones {
		paths = append(paths, w.bastionToMachine(zone))
	}
	return paths
}

// clientToControlPlane returns the path of a client of the API server: into the load balancer's subnet, past its
// security group, and past the security groups of the control plane's machines.
func (w machineWalk) clientToControlPlane(zone string) status.Path {
	p := status.Path{Name: "client -> load balancer in " + zone + " -> control plane"}
	if !w.enterBalancer(&p, zone) || !w.admitAll(&p, balancerGroup, w.Clients) {
		return p
	}
	beyond(&p, awstype.LoadBalancer, w.LoadBalancer, "CAPA creates it")
	if !w.admitBalancer(&p) {
		return p
	}
	beyond(&p, awstype.Instance, "", "CAPA creates the control plane's machines")
	return p
}

// enterBalancer adds the part of a path from the client into the load balancer's subnet. A packet uses the same routes
// as its response.
func (w machineWalk) enterBalancer(p *status.Path, zone string) bool {
	id := w.BalancerSubnets[zone]
	if w.ExistingVPC && w.Internal {
		existing(p, w.VPCID, id)
		return true
	}
	if w.ExistingVPC {
		return w.intoExisting(p, w.VPCID, id, w.Port)
	}
	subnet := w.withID(awstype.Subnet, id)
	if subnet == nil {
		breaks(p, awstype.Subnet, nil, id+" does not exist")
		return false
	}
	if !w.Internal {
		table := w.table(id)
		if table == nil {
			breaks(p, awstype.RouteTable, nil, "no route table of the stack is associated with "+id+
				", so CAPA treats it as a private subnet")
			return false
		}
		if !w.outside(p, w.VPCID, table) {
			return false
		}
	}
	through(p, subnet, subnet.String("cidrBlock"))
	return true
}

// machineToBalancer returns the path of a machine to the API server's load balancer: by the VPC's own route to an
// internal one, else by the internet, from the address of its NAT gateway or its own.
func (w machineWalk) machineToBalancer(zone string) status.Path {
	p := status.Path{Name: "node in " + zone + " -> load balancer"}
	var from []string
	switch id := w.NodeSubnets[zone]; {
	case w.ExistingVPC && !w.Internal:
		if !w.outOfExisting(&p, w.VPCID, id, w.Port, w.Public) {
			return p
		}
	case w.ExistingVPC:
		if !w.withinExisting(&p, w.VPCID, id, slices.Sorted(maps.Values(w.BalancerSubnets)), w.Port) {
			return p
		}
	case w.Internal:
		subnet, table := w.leave(&p, id)
		if table == nil {
			return p
		}
		through(&p, table, "the VPC's own route")
		from = []string{subnet.String("cidrBlock")}
	default:
		out := clusterWalk{
			Graph:        w.Graph,
			ClusterPaths: config.ClusterPaths{VPCID: w.VPCID, NodeSubnets: w.NodeSubnets},
		}.toInternet(zone, httpsPort)
		p.Hops = out.Hops
		if out.Broken() != nil {
			return p
		}
		from = []string{"0.0.0.0/0"} // the public addresses of machines are not known in advance
		if gateway := w.gatewayOf(id); gateway != nil {
			from = nil
			for _, address := range w.addressesOf(gateway) {
				if address == "" {
					beyond(&p, awstype.SecurityGroup, w.Groups[balancerGroup], "the NAT gateway's address is known after the update")
					return p
				}
				from = append(from, address+"/32")
			}
		}
	}
	if !w.admitAll(&p, balancerGroup, from) {
		return p
	}
	beyond(&p, awstype.LoadBalancer, w.LoadBalancer, "CAPA creates it")
	return p
}

// gatewayOf returns the NAT gateway of a subnet's default route, or nil if it has another target.
func (g *Graph) gatewayOf(subnetID string) *props.Resource {
	table := g.table(subnetID)
	if table == nil {
		return nil
	}
	if route := g.defaultRoute(table.ID); route != nil && route.String("natGatewayId") != "" {
		return g.withID(awstype.NATGateway, route.String("natGatewayId"))
	}
	return nil
}

// admitAll adds the security group of a role to the path, and reports whether it allows every CIDR on the API server's
// port.
func (w machineWalk) admitAll(p *status.Path, role string, cidrs []string) bool {
	if w.GroupsOf != "" {
		beyond(p, awstype.SecurityGroup, w.Groups[role], w.GroupsOf)
		return true
	}
	id, group := w.groupOf(p, role)
	if group == nil {
		return false
	}
	for _, cidr := range cidrs {
		rule := w.lets(id, cidr, nil, w.Port)
		if rule == nil {
			breaks(p, awstype.SecurityGroup, group, fmt.Sprintf("no rule allows %s on port %d", cidr, w.Port))
			return false
		}
		through(p, rule, fmt.Sprintf("%s allows %s on port %d", id, allowed(rule), w.Port))
	}
	if len(cidrs) == 0 {
		through(p, group, "see the paths of clients for its rules")
	}
	return true
}

// groupOf returns the security group of a role; without one the path breaks.
func (w machineWalk) groupOf(p *status.Path, role string) (id string, group *props.Resource) {
	id = w.Groups[role]
	if group = w.withID(awstype.SecurityGroup, id); group == nil {
		breaks(p, awstype.SecurityGroup, nil, cmp.Or(id, "the group of role "+role)+" does not exist")
	}
	return id, group
}

// admitBalancer adds the rule that allows the load balancer to connect to the control plane's machines, and reports
// whether there is one. Traffic comes from the balancer's security group, and its health checks from the VPC's
// addresses.
func (w machineWalk) admitBalancer(p *status.Path) bool {
	if w.GroupsOf != "" {
		beyond(p, awstype.SecurityGroup, w.Groups[controlPlaneGroup], w.GroupsOf)
		return true
	}
	return w.admitGroup(p, controlPlaneGroup, w.Groups[balancerGroup], w.Port)
}

// admitGroup adds the rule to the path with which a role's group allows another group, and reports whether there is
// one.
func (w machineWalk) admitGroup(p *status.Path, role, source string, port int) bool {
	id, group := w.groupOf(p, role)
	if group == nil {
		return false
	}
	rule := w.find(awstype.SecurityGroupIngressRule, func(r *props.Resource) bool {
		return r.String("securityGroupId") == id && r.String("referencedSecurityGroupId") == source && opens(r, port)
	})
	if rule == nil {
		breaks(p, awstype.SecurityGroup, group, fmt.Sprintf("no rule allows %s on port %d", source, port))
		return false
	}
	through(p, rule, fmt.Sprintf("%s allows %s on port %d", id, source, port))
	return true
}

// sshPort is the port of the bastion's connections to machines.
const sshPort = 22

// bastionToMachine returns the path of the bastion to a machine: by the VPC's own route, past the machine's security
// group.
func (w machineWalk) bastionToMachine(zone string) status.Path {
	p := status.Path{Name: "bastion -> node in " + zone}
	bastion := w.withID(awstype.Instance, w.BastionID)
	if bastion == nil {
		breaks(&p, awstype.Instance, nil, cmp.Or(w.BastionID, "the bastion")+" does not exist")
		return p
	}
	through(&p, bastion, "in "+bastion.String("subnetId")+"; the VPC's own route")
	if w.GroupsOf != "" {
		beyond(&p, awstype.SecurityGroup, w.Groups[nodeGroup], w.GroupsOf)
	} else {
		groups := bastion.Strings("vpcSecurityGroupIds")
		if len(groups) == 0 {
			breaks(&p, awstype.Instance, bastion, "has no security group of the stack")
			return p
		}
		if !w.admitGroup(&p, nodeGroup, groups[0], sshPort) {
			return p
		}
	}
	beyond(&p, awstype.Instance, "", "CAPA creates the nodes, in "+w.NodeSubnets[zone])
	return p
}

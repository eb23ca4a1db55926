package egress

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// OfStack judges what the nodes of a stack's hosted cluster can reach after a plan, which leaves the resources: one
// finding for each host and verdict, without its check. place is that of the stack's own provider. It fails for a stack
// without a hosted cluster's network.
func OfStack(
	ctx context.Context, s *workspace.Stack, after []apitype.ResourceV3, place inventory.Place,
) ([]finding.Finding, error) {
	cluster := config.As[*config.Cluster](s.File)
	if network := config.As[*config.Network](s.File); network != nil {
		cluster = network.OfCluster()
	}
	if cluster == nil {
		return nil, paths.WithoutNodes(s)
	}
	graph, expected, err := paths.ForEgress(ctx, s, after)
	if err != nil {
		return nil, fmt.Errorf("reading VPC %s: %w", expected.VPCID, err)
	}
	n := needs{cluster: cluster, region: place.Region}
	if n.releases, err = cluster.Releases(); err != nil {
		return nil, fmt.Errorf("reading the secrets of stack %s: %w", s.Name, err)
	}
	if n.domain, err = domainOf(ctx, s, cluster); err != nil {
		return nil, err
	}
	j := judgment{graph: graph, expected: expected, needs: n, proxy: proxyOf(cluster, place.Region), place: place}
	if j.proxy != nil {
		j.proxy.noProxy = append(j.proxy.noProxy, graph.VPCCIDRs()...)
	}
	if len(j.nodes()) == 0 {
		return []finding.Finding{{Account: place.Account, Region: place.Region, Severity: finding.Warning,
			Subject: "the nodes' subnets", Problem: notKnown + "they are known after the update",
			Remedy: "run this again after `hypershift-aws up`"}}, nil
	}
	return j.findings(), nil
}

// domainOf returns the domain of the control plane's public names: that of the file, otherwise of the management stack.
func domainOf(ctx context.Context, s *workspace.Stack, c *config.Cluster) (string, error) {
	if c.HostedCluster != nil && c.HostedCluster.ExternalDNSDomain != "" {
		return c.ControlPlaneDomain(""), nil
	}
	m, err := users.CheckManagement(ctx, s.Session, s.File)
	if err != nil || m == nil {
		return "", err
	}
	return c.ControlPlaneDomain(m.ZoneDomain), nil
}

// judgment judges the hosts of a cluster.
type judgment struct {
	graph    *connectivity.Graph
	expected config.ClusterPaths
	needs    needs
	proxy    *proxy
	place    inventory.Place
}

// from are nodes with their name in messages.
type from struct {
	connectivity.Nodes
	name string
}

// nodes returns the nodes of each subnet: those of the network's zones, and those that node pools name.
func (j judgment) nodes() []from {
	subnets := j.expected.NodeSubnets
	if j.expected.PublicOnly {
		subnets = j.expected.ELBSubnets
	}
	var list []from
	add := func(zone, subnet, name string, groups []string) {
		nodes := connectivity.Nodes{Zone: zone, Subnet: subnet, Groups: groups}
		if own := j.graph.GroupNamed(j.expected.VPCID, j.needs.cluster.InfraID+"-default-sg"); own != "" {
			nodes.Groups, nodes.Closed = append(slices.Clone(groups), own), true
		}
		list = append(list, from{nodes, name})
	}
	for _, zone := range slices.Sorted(maps.Keys(subnets)) {
		add(zone, subnets[zone], zone, input.Texts(j.needs.cluster.Network.SecurityGroups))
	}
	if j.needs.cluster.HostedCluster == nil {
		return list
	}
	for _, pool := range j.needs.cluster.HostedCluster.NodePools {
		subnet := input.Text(pool.SubnetID)
		if subnet == "" || slices.ContainsFunc(list, func(f from) bool { return f.Subnet == subnet }) {
			continue
		}
		groups := pool.SecurityGroups
		if groups == nil {
			groups = j.needs.cluster.Network.SecurityGroups
		}
		zone := cmp.Or(pool.Zone, subnet)
		add(zone, subnet, subnet+" of node pool "+cmp.Or(pool.Name, zone), input.Texts(groups))
	}
	return list
}

// notKnown begins the message about a host that only a probe can tell about.
const notKnown = "not known: "

// verdict is what is known about a host from some nodes: verb, the kind of the resource that decides, and why.
type verdict struct {
	severity        finding.Severity
	verb, kind, why string
	remedy          string
}

// problem returns the verdict as text. names are those of the resources of the kind.
func (v verdict) problem(names []string) string {
	text := v.verb
	if v.kind != "" {
		text += " " + v.kind
	}
	if len(names) > 0 {
		text += " " + strings.Join(names, ", ")
	}
	if v.why != "" {
		text += ": " + v.why
	}
	return text
}

// findings returns the findings, in the order of the hosts.
func (j judgment) findings() []finding.Finding {
	var found []finding.Finding
	nodes := j.nodes()
	for _, h := range j.needs.hosts() {
		var order []verdict
		zones, resources := map[verdict][]string{}, map[verdict][]string{}
		for _, n := range nodes {
			v, resource := j.judge(h, n)
			if zones[v] == nil {
				order = append(order, v)
			}
			zones[v] = append(zones[v], n.name)
			if resource != "" && !slices.Contains(resources[v], resource) {
				resources[v] = append(resources[v], resource)
			}
		}
		for _, v := range order {
			subject := fmt.Sprintf("%s:%d (%s)", h.Name, h.Port, h.purpose)
			if len(order) > 1 {
				subject += " from " + strings.Join(zones[v], ", ")
			}
			found = append(found, finding.Finding{Account: j.place.Account, Region: j.place.Region,
				Severity: v.severity, Subject: subject, Problem: v.problem(resources[v]), Remedy: v.remedy})
		}
	}
	return found
}

// judge returns the verdict on a host, and the resource that decides.
func (j judgment) judge(h host, n from) (v verdict, resource string) {
	if j.proxy.uses(h.Host) {
		return j.throughProxy(h, n)
	}
	var path status.Path
	if h.controlPlane {
		path = connectivity.EgressToControlPlane(j.graph, j.expected, n.Nodes, h.Host)
	} else {
		path = connectivity.Egress(j.graph, j.expected, n.Nodes, h.Host)
	}
	v, resource = j.verdict(path, h)
	if path.Broken() != nil && j.proxy != nil && !h.controlPlane {
		v.remedy = "take it out of noProxy, or " + v.remedy
	}
	return v, resource
}

// throughProxy returns the verdict on a host that nodes reach through the proxy, as far as the way to the proxy goes.
func (j judgment) throughProxy(h host, n from) (v verdict, resource string) {
	if to, known := j.proxy.host(); to.Name != "" {
		path := connectivity.LeaveGroups(j.graph, n.Nodes, to)
		if known {
			path = connectivity.Egress(j.graph, j.expected, n.Nodes, to)
		}
		if path.Broken() != nil {
			v, resource = j.verdict(path, h)
			v.verb = j.proxy.String() + " is " + v.verb
			return v, resource
		}
	}
	v = verdict{severity: finding.Warning, verb: notKnown + "nodes go through " + j.proxy.String(),
		why:    "its own list, and what is behind it, only a probe can tell",
		remedy: "let the proxy allow it, and check that from a machine in the subnet"}
	endpoint := ""
	if h.Service != "" {
		endpoint = j.graph.PrivateDNSEndpoint(j.expected.VPCID, h.Service)
	}
	switch {
	case endpoint != "":
		v.verb += " instead of " + endpoint + ", because noProxy does not list it"
		v.remedy = "add " + h.Name + " to network.proxy.noProxy, or let the proxy allow it"
	case internal(h.Host, j.needs.cluster.ZoneName(j.needs.cluster.BaseDomainPrefix, j.needs.cluster.BaseDomain)):
		v.verb += " although the host is internal, because noProxy does not list it"
		v.remedy = "add " + h.Name + " to network.proxy.noProxy, or let the proxy reach it"
	}
	return v, ""
}

// verdict returns the verdict of a path, and the resource that decides.
func (j judgment) verdict(p status.Path, h host) (v verdict, resource string) {
	decides := deciding(p)
	resource = cmp.Or(decides.Name, decides.ID)
	switch decides.Verdict {
	case status.Breaks:
		v = verdict{finding.Error, "blocked at the", decides.Kind, decides.Why, remedyOf(decides, h)}
		if !h.required {
			v.severity = finding.Warning
		}
	case status.NotModelled:
		v = verdict{finding.Warning, strings.TrimSuffix(notKnown, " "), decides.Kind, decides.Why,
			"check it from a machine in the subnet"}
	case status.Beyond:
		v = verdict{severity: finding.Passed, verb: "allowed as far as the", kind: decides.Kind, why: decides.Why}
	case status.Holds:
		v = verdict{severity: finding.Passed, verb: "allowed, by", kind: decides.Kind}
		if servers := j.ownDNS(); servers != "" && h.Service != "" && decides.Kind == "endpoint" {
			v.why = "if " + servers + " resolve its name to the endpoint"
		}
	}
	if first := p.Hops[0]; first.Verdict == status.Beyond && len(p.Hops) > 1 { // an endpoint that has not the name
		v.why = strings.TrimPrefix(v.why+"; "+first.Kind+" "+first.ID+" "+first.Why, "; ")
	}
	return v, resource
}

// deciding returns the hop that decides a path: the one that breaks it, the first that is not modelled, or the one by
// which traffic leaves the subnet.
func deciding(p status.Path) status.Hop {
	if hop := p.Broken(); hop != nil {
		return *hop
	}
	for _, hop := range p.Hops {
		if hop.Verdict == status.NotModelled {
			return hop
		}
	}
	for _, hop := range p.Hops {
		if !slices.Contains([]string{"subnet", connectivity.NetworkACL, connectivity.SecurityGroup, "route table"}, hop.Kind) &&
			hop.Verdict == status.Holds {
			return hop
		}
	}
	return p.Hops[len(p.Hops)-1]
}

// ownDNS returns the DNS servers of an existing VPC that are not AWS's, "" for none.
func (j judgment) ownDNS() string {
	if j.needs.cluster.Network.Existing == nil {
		return ""
	}
	return strings.Join(j.needs.cluster.Network.Existing.DNSServers, ", ")
}

// remedyOf says what opens a path that is blocked at a hop.
func remedyOf(hop status.Hop, h host) string {
	switch {
	case hop.Kind == connectivity.EndpointPolicy:
		return "allow it in the endpoint's policy"
	case hop.Kind == connectivity.NetworkACL:
		return fmt.Sprintf("a network ACL is stateless: allow requests to port %d, and replies to ports 1024 to 65535", h.Port)
	case hop.Kind == connectivity.SecurityGroup:
		return "add a rule to the security group"
	case h.Service != "":
		return "add an endpoint of " + h.Service + " with private DNS, or a route to the internet"
	case h.controlPlane:
		return "add a route, or use an endpointAccess with PrivateLink"
	case h.mirrorable:
		return "add a route to the internet, a proxy, or mirrors in spec.imageContentSources"
	}
	return "add a route to the internet, or a proxy"
}

package connectivity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/grouprules"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// toControlPlane returns the path of a node over PrivateLink: by its subnet's route table, which has a route to all of
// the VPC, to the endpoint, past its security group, into the service and to the load balancers behind it.
func (w clusterWalk) toControlPlane(zone string) status.Path {
	p := status.Path{Name: "node in " + zone + " -> control plane over PrivateLink"}
	from := w.MachineCIDR
	if w.ExistingVPC {
		if !w.existingToEndpoint(&p, zone) {
			return p
		}
	} else {
		subnet, table := w.leave(&p, w.NodeSubnets[zone])
		if table == nil {
			return p
		}
		through(&p, table, "the VPC's own route")
		from = subnet.String("cidrBlock")
	}
	endpoint := w.endpoint(&p)
	if endpoint == nil || !w.admit(&p, endpoint, from, w.NodeGroups, w.Port) {
		return p
	}
	w.intoService(&p, endpoint)
	return p
}

// intoService adds the way from an endpoint into its service and to the load balancers behind it.
func (g *Graph) intoService(p *status.Path, endpoint *props.Resource) {
	name := endpoint.String("serviceName")
	service := g.find(awstype.VPCEndpointService, func(r *props.Resource) bool { return r.String("serviceName") == name })
	if service == nil {
		beyond(p, awstype.VPCEndpointService, name, "not of this stack")
		return
	}
	through(p, service, name)
	balancers := service.Strings("networkLoadBalancerArns")
	if len(balancers) == 0 {
		breaks(p, awstype.LoadBalancer, service, "the service has no load balancer")
		return
	}
	beyond(p, awstype.LoadBalancer, strings.Join(balancers, ", "), "of the management account")
}

// existingToEndpoint adds the way from a zone's nodes to the subnets of the endpoint in a VPC outside the stack, and
// reports whether it is not blocked.
func (w clusterWalk) existingToEndpoint(p *status.Path, zone string) bool {
	endpoint := w.find(awstype.VPCEndpoint, w.isOf)
	if endpoint == nil { // HyperShift's operator creates it in the nodes' subnets
		return w.withinExisting(p, w.VPCID, w.NodeSubnets[zone], slices.Sorted(maps.Values(w.NodeSubnets)), w.Port)
	}
	return w.withinExisting(p, w.VPCID, w.NodeSubnets[zone], endpoint.Strings("subnetIds"), w.Port)
}

// isOf reports whether an endpoint is the service's in the cluster's VPC.
func (w clusterWalk) isOf(r *props.Resource) bool {
	return r.String("vpcId") == w.VPCID && r.Object("tags").String("AWSEndpointService") == w.Service
}

// endpoint adds the service's endpoint in the VPC to the path; it is nil where the path ends there.
func (w clusterWalk) endpoint(p *status.Path) *props.Resource {
	endpoint := w.find(awstype.VPCEndpoint, w.isOf)
	if endpoint == nil && w.OperatorOwned {
		beyond(p, awstype.VPCEndpoint, "", "HyperShift's operator creates it, and the stack's state does not have it")
		return nil
	}
	return w.connected(p, endpoint, "there is no endpoint for "+w.Service+" in "+w.VPCID)
}

// connected adds an endpoint to the path, and returns nil where the path ends there. missing is why it breaks without
// one.
func (g *Graph) connected(p *status.Path, endpoint *props.Resource, missing string) *props.Resource {
	switch {
	case endpoint == nil:
		breaks(p, awstype.VPCEndpoint, nil, missing)
		return nil
	case endpoint.String("state") != "available" && endpoint.String("state") != plannedState:
		breaks(p, awstype.VPCEndpoint, endpoint, "is "+endpoint.String("state")+": the service's owner has to accept it")
		return nil
	}
	through(p, endpoint, endpoint.String("state")+", in "+strings.Join(endpoint.Strings("subnetIds"), ", "))
	return endpoint
}

// admit adds the endpoint's security groups to the path, and reports whether they allow clients with addresses of the
// CIDR and with the security groups.
func (g *Graph) admit(p *status.Path, endpoint *props.Resource, from string, client []string, port int) bool {
	groups := endpoint.Strings("securityGroupIds")
	if from == "" {
		beyond(p, awstype.SecurityGroup, strings.Join(groups, ", "),
			"the CIDR of the nodes' subnets is known after the update")
		return true
	}
	if g.unread[awstype.SecurityGroupIngressRule] {
		notModelled(p, awstype.SecurityGroup, strings.Join(groups, ", "), "its rules cannot be read")
		return true
	}
	for _, id := range groups {
		if rule := g.lets(id, from, client, port); rule != nil {
			through(p, rule, fmt.Sprintf("%s allows %s on port %d", id, allowed(rule), port))
			return true
		}
	}
	group := &props.Resource{Type: awstype.SecurityGroup, ID: strings.Join(groups, ", ")}
	if len(groups) > 0 {
		if known := g.withID(awstype.SecurityGroup, groups[0]); known != nil {
			group = known
		}
	}
	cidrs := append(g.allowedTogether(awstype.SecurityGroupIngressRule, groups, port), g.readWith(groups, port)...)
	lists := g.unreadLists(awstype.SecurityGroupIngressRule, groups, port)
	switch rest, known := grouprules.Uncovered(from, cidrs); {
	case known && len(rest) == 0:
		through(p, group, fmt.Sprintf("allows %s on port %d", strings.Join(cidrs, " and "), port))
		return true
	case len(lists) > 0:
		notModelled(p, awstype.SecurityGroup, group.ID, unreadable(port, lists))
		return true
	case known && len(rest) > 0 && rest[0] != from:
		breaks(p, awstype.SecurityGroup, group, fmt.Sprintf("no rule allows %s, a part of %s, on port %d", rest[0], from,
			port))
	default:
		breaks(p, awstype.SecurityGroup, group, fmt.Sprintf("no rule allows %s on port %d", from, port))
	}
	return false
}

// readWith returns the IPv4 CIDRs that groups allow on a port by the rules that were read with them: those of a group
// that HyperShift's operator owns, of which the state may have no rules.
func (g *Graph) readWith(groups []string, port int) (cidrs []string) {
	for _, id := range groups {
		group := g.withID(awstype.SecurityGroup, id)
		if group == nil || slices.ContainsFunc(g.byType[awstype.SecurityGroupIngressRule], func(r *props.Resource) bool {
			return r.String("securityGroupId") == id
		}) {
			continue
		}
		for _, rule := range group.Objects("ingress") {
			all := rule.String("protocol") == "-1"
			if all || rule.String("protocol") == "tcp" && rule.Number("fromPort") <= float64(port) &&
				float64(port) <= rule.Number("toPort") {
				cidrs = append(cidrs, rule.Strings("cidrBlocks")...)
			}
		}
	}
	return cidrs
}

// allowedTogether returns the IPv4 CIDRs that the rules of several groups allow on a port: a resource that has the
// groups allows all of them.
func (g *Graph) allowedTogether(token string, groups []string, port int) []string {
	var rules []props.Map
	for _, rule := range g.byType[token] {
		if slices.Contains(groups, rule.String("securityGroupId")) {
			rules = append(rules, rule.Map)
		}
	}
	return slices.DeleteFunc(grouprules.CIDRs(rules, grouprules.TCP(port), func(id string) (entries []string) {
		for _, entry := range g.prefixLists[id] {
			entries = append(entries, entry.String())
		}
		return entries
	}), func(cidr string) bool { return strings.Contains(cidr, ":") })
}

// unreadLists returns the prefix lists that the rules of groups allow on a port, and whose entries cannot be read.
func (g *Graph) unreadLists(token string, groups []string, port int) (ids []string) {
	for _, rule := range g.byType[token] {
		id := rule.String("prefixListId")
		if _, read := g.prefixLists[id]; id != "" && !read && slices.Contains(groups, rule.String("securityGroupId")) &&
			opens(rule, port) {
			ids = append(ids, id)
		}
	}
	return ids
}

// unreadable says that a group allows prefix lists that cannot be read.
func unreadable(port int, lists []string) string {
	return fmt.Sprintf("allows port %d to %s, whose CIDRs are not readable", port, strings.Join(lists, ", "))
}

package connectivity

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// httpsPort is the port of registries, of AWS's APIs and of applications.
const httpsPort = 443

// toInternet returns the path of a node to the internet: by its subnet's route table to a NAT gateway, and by the route
// table of the NAT gateway's subnet to the internet gateway. The port is the one that it connects to.
func (w clusterWalk) toInternet(zone string, port int) status.Path {
	p := status.Path{Name: "node in " + zone + " -> internet"}
	if id := w.NodeSubnets[zone]; w.ExistingVPC {
		w.outOfExisting(&p, w.VPCID, id, port, id == w.ELBSubnets[zone])
		return p
	}
	_, table := w.leave(&p, w.NodeSubnets[zone])
	if table == nil {
		return p
	}
	route := w.defaultRoute(table.ID)
	if route == nil {
		breaks(&p, awstype.RouteTable, table, w.noDefaultRoute(table.ID))
		return p
	}
	if route.String("gatewayId") != "" { // of a public subnet
		w.outside(&p, w.VPCID, table)
		return p
	}
	through(&p, table, "0.0.0.0/0 by "+route.Name)
	if id := route.String("transitGatewayId"); id != "" {
		w.toTransit(&p, w.VPCID, id)
		return p
	}
	if id := route.String("vpcEndpointId"); id != "" {
		w.toFirewall(&p, id)
		return p
	}
	id := route.String("natGatewayId")
	gateway := w.withID(awstype.NATGateway, id)
	if gateway == nil {
		breaks(&p, awstype.NATGateway, nil, cmp.Or(id, "the target of "+route.Name)+" does not exist")
		return p
	}
	through(&p, gateway, strings.Join(w.addressesOf(gateway), ", "))
	subnet := gateway.String("subnetId")
	table = w.table(subnet)
	if table == nil {
		breaks(&p, awstype.RouteTable, nil, "no route table of the stack is associated with "+subnet+
			", the NAT gateway's subnet")
		return p
	}
	w.outside(&p, w.VPCID, table)
	return p
}

// noDefaultRoute says that a table has no default route. HyperShift's nodes have IPv4 addresses only.
func (g *Graph) noDefaultRoute(tableID string) string {
	if g.find(awstype.Route, func(r *props.Resource) bool {
		return r.String("routeTableId") == tableID && r.String("destinationIpv6CidrBlock") == "::/0"
	}) != nil {
		return "has no route to 0.0.0.0/0, and nodes don't use the one to ::/0: they have IPv4 addresses only"
	}
	return "has no route to 0.0.0.0/0"
}

// publicControlPlane ends the name of a node's path to a control plane that allows some networks only.
const publicControlPlane = " -> control plane over the internet"

// toPublicControlPlane returns the path of a node over the internet to a control plane that allows some networks only:
// its address there is its NAT gateway's.
func (w clusterWalk) toPublicControlPlane(zone string, port int) status.Path {
	p := w.toInternet(zone, port)
	p.Name = "node in " + zone + publicControlPlane
	if p.Broken() != nil {
		return p
	}
	var gateway *props.Resource
	for _, on := range p.Hops {
		if on.Kind == hop(awstype.NATGateway) {
			gateway = w.withID(awstype.NATGateway, on.ID)
		}
	}
	var nodes []string
	for _, address := range w.addressesOf(gateway) {
		if ip, err := netip.ParseAddr(address); err == nil {
			nodes = append(nodes, netip.PrefixFrom(ip, ip.BitLen()).String())
		}
	}
	if len(nodes) == 0 || len(nodes) < len(w.addressesOf(gateway)) {
		p.Hops = append(p.Hops, status.Hop{Kind: hop(awstype.LoadBalancer), Verdict: status.NotModelled,
			Why: w.AllowedKey + " must have the address from which the node reaches the internet, which is not known here"})
		return p
	}
	missing := slices.DeleteFunc(slices.Clone(nodes), func(node string) bool {
		return slices.ContainsFunc(w.Allowed, func(cidr string) bool { return holds(cidr, node) })
	})
	if len(missing) == 0 {
		beyond(&p, awstype.LoadBalancer, "", "of the management account; "+w.AllowedKey+" allows "+strings.Join(nodes, ", "))
		return p
	}
	breaks(&p, awstype.LoadBalancer, nil, "does not allow the NAT gateway's address: add "+strings.Join(missing,
		", ")+" to "+
		w.AllowedKey)
	return p
}

// addressesOf returns the public addresses of a NAT gateway, those of its further elastic IPs last; none for nil.
func (g *Graph) addressesOf(gateway *props.Resource) []string {
	if gateway == nil {
		return nil
	}
	addresses := []string{gateway.String("publicIp")}
	for _, id := range gateway.Strings("secondaryAllocationIds") {
		address := g.find(awstype.ElasticIP, func(r *props.Resource) bool {
			return r.String("allocationId") == id || r.ID == id
		})
		if address == nil {
			addresses = append(addresses, id)
			continue
		}
		addresses = append(addresses, cmp.Or(address.String("publicIp"), address.ID))
	}
	return addresses
}

// toTransit adds the attachment to a transit gateway to the path.
func (g *Graph) toTransit(p *status.Path, vpcID, id string) {
	attachment := g.find(awstype.TransitGatewayAttachment, func(r *props.Resource) bool {
		return r.String("transitGatewayId") == id && r.String("vpcId") == vpcID
	})
	if attachment == nil {
		breaks(p, awstype.TransitGatewayAttachment, nil, vpcID+" is not attached to "+id)
		return
	}
	p.Hops = append(p.Hops, status.Hop{Kind: hop(awstype.TransitGatewayAttachment), Name: attachment.Name,
		ID: attachment.ID, Verdict: status.NotModelled,
		Why: id + ": its own route tables, and what is behind it, are not modelled"})
}

// toFirewall adds the endpoint of a firewall to the path.
func (g *Graph) toFirewall(p *status.Path, id string) {
	endpoint := g.withID(awstype.VPCEndpoint, id)
	if endpoint == nil {
		breaks(p, awstype.VPCEndpoint, nil, id+" does not exist")
		return
	}
	if state := endpoint.String("state"); state != "" && state != "available" && state != plannedState {
		breaks(p, awstype.VPCEndpoint, endpoint,
			"is "+state+": the owner of "+endpoint.String("serviceName")+" has to accept it")
		return
	}
	p.Hops = append(p.Hops, status.Hop{Kind: hop(awstype.VPCEndpoint), Name: endpoint.Name, ID: endpoint.ID,
		Verdict: status.NotModelled,
		Why:     endpoint.String("serviceName") + ": the firewalls, and what is behind them, are not modelled"})
}

// outside adds the route to the internet gateway, and the gateway, to the path; it reports whether neither breaks the
// path.
func (g *Graph) outside(p *status.Path, vpcID string, table *props.Resource) bool {
	route := g.defaultRoute(table.ID)
	if route == nil {
		breaks(p, awstype.RouteTable, table, "has no route to 0.0.0.0/0")
		return false
	}
	through(p, table, "0.0.0.0/0 by "+route.Name)
	id := route.String("gatewayId")
	gateway := g.withID(awstype.InternetGateway, id)
	switch {
	case gateway == nil:
		breaks(p, awstype.InternetGateway, nil, cmp.Or(id, "the target of "+route.Name)+" does not exist")
		return false
	case gateway.String("vpcId") != vpcID:
		breaks(p, awstype.InternetGateway, gateway, "is not attached to "+vpcID)
		return false
	}
	through(p, gateway, "attached to "+vpcID)
	return true
}

// toLoadBalancer returns the path of a user to a load balancer that Kubernetes creates in a public subnet: a packet
// uses the same routes as its response.
func (w clusterWalk) toLoadBalancer(zone string) status.Path {
	p := status.Path{Name: "user -> public load balancer in " + zone}
	beyond(&p, awstype.HostedZone, "", w.BaseDomain+
		" exists outside the stack, and HyperShift and the ingress operator write to it")
	id := w.ELBSubnets[zone]
	if w.ExistingVPC {
		if w.intoExisting(&p, w.VPCID, id, httpsPort) && w.given != nil {
			beyond(&p, awstype.LoadBalancer, "", "Kubernetes creates it here; those of the control plane are in the management account")
		}
		return p
	}
	subnet := w.withID(awstype.Subnet, id)
	switch {
	case subnet == nil:
		breaks(&p, awstype.Subnet, nil, id+" does not exist")
		return p
	case subnet.Object("tags").String(hypershift.PublicELBTag) == "":
		breaks(&p, awstype.Subnet, subnet, "has no tag "+hypershift.PublicELBTag+", by which Kubernetes finds it")
		return p
	}
	table := w.table(id)
	if table == nil {
		breaks(&p, awstype.RouteTable, nil, "no route table of the stack is associated with "+id)
		return p
	}
	if !w.outside(&p, w.VPCID, table) {
		return p
	}
	through(&p, subnet, subnet.String("cidrBlock"))
	beyond(&p, awstype.LoadBalancer, "", "Kubernetes creates it here; those of the control plane are in the management account")
	return p
}

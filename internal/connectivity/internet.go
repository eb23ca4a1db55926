package connectivity

// toInternet is a node's way out: by its subnet's route table to a NAT gateway, and by that one's to the internet gateway.
func (g *Graph) toInternet(c Cluster, zone string) Path {
	p := Path{Name: "node in " + zone + " -> internet"}
	if c.GivenVPC {
		p.given(c, c.NodeSubnets[zone])
		return p
	}
	_, table := g.leave(&p, c.NodeSubnets[zone])
	if table == nil {
		return p
	}
	route := g.defaultRoute(table.ID)
	if route == nil {
		p.breaks("route table", table, "has no route to 0.0.0.0/0")
		return p
	}
	if route.text("gatewayId") != "" { // of a public subnet
		g.outside(&p, c, table)
		return p
	}
	p.through("route table", table, "0.0.0.0/0 by "+route.Name)
	id := route.text("natGatewayId")
	gateway := g.withID(typeNATGateway, id)
	if gateway == nil {
		p.breaks("NAT gateway", nil, or(id, "the target of "+route.Name)+" is gone")
		return p
	}
	p.through("NAT gateway", gateway, gateway.text("publicIp"))
	subnet := gateway.text("subnetId")
	table = g.table(subnet)
	if table == nil {
		p.breaks("route table", nil, "no route table of the stack's is associated with "+subnet+", the NAT gateway's subnet")
		return p
	}
	g.outside(&p, c, table)
	return p
}

// outside adds the route to the internet gateway, and that, to the path; it says whether both hold.
func (g *Graph) outside(p *Path, c Cluster, table *Resource) bool {
	route := g.defaultRoute(table.ID)
	if route == nil {
		p.breaks("route table", table, "has no route to 0.0.0.0/0")
		return false
	}
	p.through("route table", table, "0.0.0.0/0 by "+route.Name)
	id := route.text("gatewayId")
	gateway := g.withID(typeInternetGateway, id)
	switch {
	case gateway == nil:
		p.breaks("internet gateway", nil, or(id, "the target of "+route.Name)+" is gone")
		return false
	case gateway.text("vpcId") != c.VPCID:
		p.breaks("internet gateway", gateway, "is not attached to "+c.VPCID)
		return false
	}
	p.through("internet gateway", gateway, "attached to "+c.VPCID)
	return true
}

// toLoadBalancer is a user's way in, to a load balancer that Kubernetes makes in a public subnet: a packet takes the same
// routes as its answer.
func (g *Graph) toLoadBalancer(c Cluster, zone string) Path {
	p := Path{Name: "user -> public load balancer in " + zone}
	p.beyond("zone", "", c.BaseDomain+" was there before, and HyperShift and the ingress operator write to it")
	id := c.ELBSubnets[zone]
	if c.GivenVPC {
		p.given(c, id)
		return p
	}
	subnet := g.withID(typeSubnet, id)
	switch {
	case subnet == nil:
		p.breaks("subnet", nil, id+" is gone")
		return p
	case subnet.tag("kubernetes.io/role/elb") == "":
		p.breaks("subnet", subnet, "has no tag kubernetes.io/role/elb, by which Kubernetes finds it")
		return p
	}
	table := g.table(id)
	if table == nil {
		p.breaks("route table", nil, "no route table of the stack's is associated with "+id)
		return p
	}
	if !g.outside(&p, c, table) {
		return p
	}
	p.through("subnet", subnet, subnet.text("cidrBlock"))
	p.beyond("load balancer", "", "Kubernetes makes it here; those of the control plane are in the management account")
	return p
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

package offline

import (
	"cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

const (
	routeTableToken       = "aws:ec2/routeTable:RouteTable"
	routeToken            = "aws:ec2/route:Route"
	routeAssociationToken = "aws:ec2/routeTableAssociation:RouteTableAssociation"
	mainAssociationToken  = "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation"
)

// routeTargets are the inputs of a route that say where it leads, routeDestinations those that say what it is for.
func routeTargets() []string {
	return []string{"carrierGatewayId", "coreNetworkArn", "egressOnlyGatewayId", "gatewayId", "localGatewayId",
		"natGatewayId", "networkInterfaceId", "transitGatewayId", "vpcEndpointId", "vpcPeeringConnectionId"}
}

func routeDestinations() []string {
	return []string{"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"}
}

func routeKinds() []*kind {
	return []*kind{
		{
			token: routeTableToken, args: ec2.RouteTableArgs{}, state: ec2.RouteTableState{},
			service: "EC2", noun: "Route Table", calls: calls{update: "CreateRoute"},
			computed: []string{"propagatingVgws", "routes"},
			fixed:    props{"propagatingVgws": []any{}, "routes": []any{}},
			forms:    map[string]form{"propagatingVgws": asSet, "routes": asSet},
			replaces: []string{"vpcId"},
			refs:     []ref{{"vpcId", vpcToken, "", blocks}},
			missing:  answer{"InvalidRouteTableID.NotFound", "The routeTable ID '%s' does not exist"},
			inUse:    answer{"DependencyViolation", "The routeTable '%s' has dependencies and cannot be deleted."},
			leaving:  []rule{notTheMainTable},
			make: func(c *call) error {
				c.rec.ID = newID("rtb")
				c.owned("route-table")
				return nil
			},
			view: viewRoutes,
		},
		{
			token: routeToken, args: ec2.RouteArgs{}, state: ec2.RouteState{},
			service: "EC2", noun: "Route", calls: calls{update: "ReplaceRoute"},
			oneOf:    [][]string{routeTargets(), routeDestinations()},
			fixed:    props{"instanceId": "", "instanceOwnerId": "", "origin": "CreateRoute", "state": "active"},
			computed: []string{"networkInterfaceId"},
			valid:    map[string]func(string) string{"destinationCidrBlock": networkFault},
			replaces: append([]string{"routeTableId"}, routeDestinations()...),
			refs: []ref{{"routeTableId", routeTableToken, "", part}, {"gatewayId", igwToken, "igw-", loose},
				{"natGatewayId", natToken, "", loose}, {"vpcEndpointId", endpointToken, "", blocks}},
			missing: answer{"InvalidRoute.NotFound", "no route with identifier %s"},
			rules:   []rule{routeIsNew, targetInVPC},
			make: func(c *call) error {
				c.rec.ID = "r-" + c.in().text("routeTableId") + hashcode(destination(c.in()))
				return nil
			},
			otherID: func(p props) string { return p.text("routeTableId") + "_" + destination(p) },
		},
		{
			token: routeAssociationToken, args: ec2.RouteTableAssociationArgs{}, state: ec2.RouteTableAssociationState{},
			service: "EC2", noun: "Route Table Association",
			calls:    calls{"AssociateRouteTable", "ReplaceRouteTableAssociation", "DisassociateRouteTable"},
			oneOf:    [][]string{{"subnetId", "gatewayId"}},
			replaces: []string{"gatewayId", "subnetId"},
			unique:   []string{"gatewayId", "subnetId"},
			refs: []ref{{"routeTableId", routeTableToken, "", blocks}, {"subnetId", subnetToken, "", part},
				{"gatewayId", igwToken, "igw-", part}},
			missing: answer{"InvalidAssociationID.NotFound", "The association ID '%s' does not exist"},
			rules:   []rule{subnetInTablesVPC, oneTablePerSubnet},
			make: func(c *call) error {
				c.rec.ID = newID("rtbassoc")
				return nil
			},
			otherID: func(p props) string {
				return cmp.Or(p.text("subnetId"), p.text("gatewayId")) + "/" + p.text("routeTableId")
			},
		},
		{
			token: mainAssociationToken, args: ec2.MainRouteTableAssociationArgs{},
			state:   ec2.MainRouteTableAssociationState{},
			service: "EC2", noun: "Main Route Table Association",
			calls: calls{"ReplaceRouteTableAssociation", "ReplaceRouteTableAssociation",
				"ReplaceRouteTableAssociation"},
			// A new VPC replaces nothing here either: the provider moves the association, and AWS refuses.
			refs:    []ref{{"vpcId", vpcToken, "", part}, {"routeTableId", routeTableToken, "", loose}},
			missing: answer{"InvalidAssociationID.NotFound", "The association ID '%s' does not exist"},
			rules:   []rule{tableInVPC},
			make: func(c *call) error {
				c.rec.ID = newID("rtbassoc")
				c.rec.State["originalRouteTableId"] = c.find(vpcToken, c.in().text("vpcId")).State["mainRouteTableId"]
				return setMainTable(c, c.in().text("routeTableId"))
			},
			change: func(c *call) error { return setMainTable(c, c.in().text("routeTableId")) },
			// The VPC gets back the table that it had before.
			unmake: func(c *call) error { return setMainTable(c, c.in().text("originalRouteTableId")) },
		},
	}
}

func destination(route props) string {
	for _, name := range routeDestinations() {
		if to := route.text(name); to != "" {
			return to
		}
	}
	return ""
}

// notTheMainTable: the table that is a VPC's main one stays.
// https://docs.aws.amazon.com/vpc/latest/userguide/VPC_Route_Tables.html
func notTheMainTable(c *call) error {
	vpc := c.find(vpcToken, c.in().text("vpcId"))
	if vpc != nil && vpc.State.text("mainRouteTableId") == c.rec.ID {
		return c.kind.inUse.about(c.rec.ID)
	}
	return nil
}

// routeIsNew: a table has one route a destination.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html
func routeIsNew(c *call) error {
	to := destination(c.in())
	taken := c.find(vpcToken, c.tableVPC()).State.text("cidrBlock") == to
	for _, other := range c.all(routeToken) {
		taken = taken || other.ID != c.rec.ID && destination(other.State) == to &&
			other.State.text("routeTableId") == c.in().text("routeTableId")
	}
	if taken {
		return refuse("RouteAlreadyExists", "The route identified by %s already exists.", to)
	}
	return nil
}

// targetInVPC: a route leads to a gateway of its own VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html
func targetInVPC(c *call) error {
	table, vpc := c.in().text("routeTableId"), c.tableVPC()
	if gateway := c.find(igwToken, c.in().text("gatewayId")); gateway != nil && gateway.State.text("vpcId") != vpc {
		return refuse("InvalidParameterValue", "route table %s and network gateway %s belong to different networks",
			table, gateway.ID)
	}
	if nat := c.find(natToken, c.in().text("natGatewayId")); nat != nil {
		subnet := c.find(subnetToken, nat.State.text("subnetId"))
		if subnet == nil || subnet.State.text("vpcId") != vpc {
			return refuse("InvalidParameterValue", "route table %s and interface %s belong to different networks",
				table, nat.State.text("networkInterfaceId"))
		}
	}
	return nil
}

// tableVPC is the VPC of the route table at hand.
func (c *call) tableVPC() string {
	return c.find(routeTableToken, c.in().text("routeTableId")).State.text("vpcId")
}

// viewRoutes lists the routes that a table has got by themselves along with those that it was made with.
func viewRoutes(c *call, out props) {
	routes, _ := out["routes"].([]any)
	for _, route := range c.all(routeToken) {
		if route.State.text("routeTableId") != c.rec.ID {
			continue
		}
		entry := map[string]any{
			"cidrBlock":               route.State.text("destinationCidrBlock"),
			"ipv6CidrBlock":           route.State.text("destinationIpv6CidrBlock"),
			"destinationPrefixListId": route.State.text("destinationPrefixListId"),
		}
		for _, target := range routeTargets() {
			entry[target] = route.State.text(target)
		}
		routes = append(routes, entry)
	}
	out["routes"] = routes
}

// subnetInTablesVPC: a subnet takes the route tables of its own VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateRouteTable.html
func subnetInTablesVPC(c *call) error {
	subnet := c.find(subnetToken, c.in().text("subnetId"))
	if subnet != nil && subnet.State.text("vpcId") != c.tableVPC() {
		return refuse("InvalidParameterValue", "Route table %s and subnet %s belong to different networks",
			c.in().text("routeTableId"), subnet.ID)
	}
	return nil
}

// oneTablePerSubnet: a subnet has one route table.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateRouteTable.html
func oneTablePerSubnet(c *call) error {
	for _, other := range c.all(routeAssociationToken) {
		if other.ID != c.rec.ID && other.State.text("subnetId") == c.in().text("subnetId") &&
			other.State.text("gatewayId") == c.in().text("gatewayId") {
			return refuse("Resource.AlreadyAssociated", "the specified association for route table %s conflicts with "+
				"an existing association", c.in().text("routeTableId"))
		}
	}
	return nil
}

// tableInVPC: a VPC's main table is one of its own.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ReplaceRouteTableAssociation.html
func tableInVPC(c *call) error {
	vpc := c.in().text("vpcId")
	if c.was != nil {
		vpc = c.was.State.text("vpcId")
	}
	if c.tableVPC() != vpc {
		return refuse("InvalidParameterValue", "Route table %s and network %s belong to different networks",
			c.in().text("routeTableId"), vpc)
	}
	return nil
}

func setMainTable(c *call, table string) error {
	if vpc := c.edit(vpcToken, c.in().text("vpcId")); vpc != nil {
		vpc.State["mainRouteTableId"] = table
	}
	return nil
}

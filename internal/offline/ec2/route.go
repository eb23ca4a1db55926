package ec2

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// routeTargets returns the inputs of a route that name its target; routeDestinations are those that name its
// destination.
func routeTargets() []string {
	return []string{"carrierGatewayId", "coreNetworkArn", "egressOnlyGatewayId", "gatewayId", "localGatewayId",
		"natGatewayId", "networkInterfaceId", "transitGatewayId", "vpcEndpointId", "vpcPeeringConnectionId"}
}

func routeDestinations() []string {
	return []string{"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"}
}

func routeKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.RouteTable, Args: ec2.RouteTableArgs{}, State: ec2.RouteTableState{},
			Service: "EC2", Noun: "Route Table", Calls: aws.Calls{Update: "CreateRoute"},
			Constants:  props.Map{"propagatingVgws": []any{}, "routes": []any{}},
			References: []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.BlocksDeletion}},
			NotFound:   awserr.Template{Code: "InvalidRouteTableID.NotFound", Text: "The routeTable ID '%s' does not exist"},
			InUse: awserr.Template{
				Code: "DependencyViolation",
				Text: "The routeTable '%s' has dependencies and cannot be deleted.",
			},
			DeleteRules: []aws.Rule{notTheMainTable},
			ID:          aws.EC2ID("rtb"),
			OnRead:      viewRoutes,
		},
		{
			Token: awstype.Route, Args: ec2.RouteArgs{}, State: ec2.RouteState{},
			Service: "EC2", Noun: "Route", Calls: aws.Calls{Update: "ReplaceRoute"},
			ExactlyOneOf: [][]string{routeTargets(), routeDestinations()},
			Constants:    props.Map{"origin": "CreateRoute", "state": "active"},
			ValidateFunc: map[string]func(string) string{
				"destinationCidrBlock":     networkFault,
				"destinationIpv6CidrBlock": ipv6NetworkFault,
			},
			References: []aws.Reference{{Input: "routeTableId", Type: awstype.RouteTable, Dependency: aws.DeletedWith},
				{Input: "gatewayId", Type: awstype.InternetGateway, Prefix: "igw-", Dependency: aws.Independent},
				{Input: "natGatewayId", Type: awstype.NATGateway, Dependency: aws.Independent},
				{Input: "egressOnlyGatewayId", Type: awstype.EgressOnlyGateway, Dependency: aws.Independent},
				{Input: "vpcEndpointId", Type: awstype.VPCEndpoint, Dependency: aws.BlocksDeletion}},
			NotFound: awserr.Template{Code: "InvalidRoute.NotFound", Text: "no route with identifier %s"},
			Rules:    []aws.Rule{routeIsNew, targetInVPC, routeToAttached, routeToFirewall, egressOnlyForIPv6},
			ID: func(c *aws.Call) string {
				return "r-" + c.State().String("routeTableId") + ids.Hashcode(destination(c.State()))
			},
			ImportID: func(p props.Map) string { return p.String("routeTableId") + "_" + destination(p) },
		},
		{
			Token: awstype.RouteTableAssociation, Args: ec2.RouteTableAssociationArgs{}, State: ec2.RouteTableAssociationState{},
			Service: "EC2", Noun: "Route Table Association",
			Calls: aws.Calls{
				Create: "AssociateRouteTable",
				Update: "ReplaceRouteTableAssociation",
				Remove: "DisassociateRouteTable",
			},
			ExactlyOneOf: [][]string{{"subnetId", "gatewayId"}},
			UniqueBy:     []string{"gatewayId", "subnetId"},
			References: []aws.Reference{{Input: "routeTableId", Type: awstype.RouteTable, Dependency: aws.BlocksDeletion},
				{Input: "subnetId", Type: awstype.Subnet, Dependency: aws.DeletedWith},
				{Input: "gatewayId", Type: awstype.InternetGateway, Prefix: "igw-", Dependency: aws.DeletedWith}},
			NotFound: awserr.Template{Code: "InvalidAssociationID.NotFound", Text: "The association ID '%s' does not exist"},
			Rules:    []aws.Rule{subnetInTablesVPC, oneTablePerSubnet},
			ID:       aws.EC2ID("rtbassoc"),
			ImportID: func(p props.Map) string {
				return cmp.Or(p.String("subnetId"), p.String("gatewayId")) + "/" + p.String("routeTableId")
			},
			OnImport: func(_ *aws.Call, id string) (*store.Entry, error) {
				target, table, _ := strings.Cut(id, "/")
				//nolint:staticcheck // the provider's words
				return nil, fmt.Errorf("No association found between subnet or gateway %s and route table %s", target, table)
			},
		},
		{
			Token: awstype.MainRouteTableAssociation, Args: ec2.MainRouteTableAssociationArgs{},
			State:   ec2.MainRouteTableAssociationState{},
			Service: "EC2", Noun: "Main Route Table Association",
			Calls: aws.Calls{Create: "ReplaceRouteTableAssociation", Update: "ReplaceRouteTableAssociation",
				Remove: "ReplaceRouteTableAssociation"},
			// As with the real provider, a changed vpcId does not replace the resource: the provider tries to move the
			// association and AWS refuses.
			References: []aws.Reference{{
				Input:      "vpcId",
				Type:       awstype.VPC,
				Dependency: aws.DeletedWith,
			}, {Input: "routeTableId", Type: awstype.RouteTable, Dependency: aws.Independent}},
			NotFound: awserr.Template{Code: "InvalidAssociationID.NotFound", Text: "The association ID '%s' does not exist"},
			Rules:    []aws.Rule{tableInVPC},
			ID:       aws.EC2ID("rtbassoc"),
			OnCreate: func(c *aws.Call) error {
				c.Resource.State["originalRouteTableId"] = c.Find(awstype.VPC, c.State().String("vpcId")).State["mainRouteTableId"]
				setMainTable(c, "routeTableId")
				return nil
			},
			OnUpdate: func(c *aws.Call) error {
				setMainTable(c, "routeTableId")
				return nil
			},
			// The VPC's previous main table is restored.
			OnDelete: func(c *aws.Call) { setMainTable(c, "originalRouteTableId") },
		},
	}
}

func destination(route props.Map) string {
	for _, name := range routeDestinations() {
		if to := route.String(name); to != "" {
			return to
		}
	}
	return ""
}

// notTheMainTable: a VPC's main table cannot be deleted.
// https://docs.aws.amazon.com/vpc/latest/userguide/VPC_Route_Tables.html
func notTheMainTable(c *aws.Call) error {
	vpc := c.Find(awstype.VPC, c.State().String("vpcId"))
	if vpc != nil && vpc.State.String("mainRouteTableId") == c.Resource.ID {
		return c.Kind.InUse.For(c.Resource.ID)
	}
	return nil
}

// routeIsNew: a table has one route per destination.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html
func routeIsNew(c *aws.Call) error {
	to := destination(c.State())
	vpc := c.Find(awstype.VPC, tableVPC(c)).State
	taken := vpc.String("cidrBlock") == to || vpc.String("ipv6CidrBlock") == to
	for _, other := range c.Others("routeTableId") {
		taken = taken || destination(other.State) == to
	}
	if taken {
		return awserr.Errorf("RouteAlreadyExists", "The route identified by %s already exists.", to)
	}
	return nil
}

// targetInVPC: a route's gateway belongs to the VPC of its table.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html
func targetInVPC(c *aws.Call) error {
	table, vpc := c.State().String("routeTableId"), tableVPC(c)
	if gateway := c.Find(awstype.InternetGateway,
		c.State().String("gatewayId")); gateway != nil && gateway.State.String("vpcId") != vpc {
		return awserr.Errorf("InvalidParameterValue", "route table %s and network gateway %s belong to different networks",
			table, gateway.ID)
	}
	if gateway := c.Find(awstype.EgressOnlyGateway,
		c.State().String("egressOnlyGatewayId")); gateway != nil && gateway.State.String("vpcId") != vpc {
		return awserr.Errorf("InvalidParameterValue", "route table %s and network gateway %s belong to different networks",
			table, gateway.ID)
	}
	if nat := c.Find(awstype.NATGateway, c.State().String("natGatewayId")); nat != nil {
		subnet := c.Find(awstype.Subnet, nat.State.String("subnetId"))
		if subnet == nil || subnet.State.String("vpcId") != vpc {
			return awserr.Errorf("InvalidParameterValue", "route table %s and interface %s belong to different networks",
				table, nat.State.String("networkInterfaceId"))
		}
	}
	return nil
}

// routeToFirewall: an endpoint that is a route's target is one of a Gateway Load Balancer in the VPC of the route's
// table.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html
func routeToFirewall(c *aws.Call) error {
	endpoint := c.Find(awstype.VPCEndpoint, c.State().String("vpcEndpointId"))
	switch {
	case endpoint == nil:
		return nil
	case endpoint.State.String("vpcEndpointType") != "GatewayLoadBalancer":
		return awserr.Errorf("InvalidParameterValue", "VPC endpoint %s is not a Gateway Load Balancer endpoint", endpoint.ID)
	case endpoint.State.String("vpcId") != tableVPC(c):
		return awserr.Errorf("InvalidParameterValue", "route table %s and VPC endpoint %s belong to different networks",
			c.State().String("routeTableId"), endpoint.ID)
	}
	return nil
}

// tableVPC returns the VPC of the call's route table.
func tableVPC(c *aws.Call) string {
	return c.Find(awstype.RouteTable, c.State().String("routeTableId")).State.String("vpcId")
}

// viewRoutes lists a table's routes: the routes in its inputs, and the separate route resources.
func viewRoutes(c *aws.Call, out props.Map) {
	routes, _ := out["routes"].([]any)
	for _, route := range c.Where(awstype.Route, "routeTableId", c.Resource.ID) {
		entry := map[string]any{
			"cidrBlock":               route.State.String("destinationCidrBlock"),
			"ipv6CidrBlock":           route.State.String("destinationIpv6CidrBlock"),
			"destinationPrefixListId": route.State.String("destinationPrefixListId"),
		}
		for _, target := range routeTargets() {
			entry[target] = route.State.String(target)
		}
		routes = append(routes, entry)
	}
	out["routes"] = routes
}

// subnetInTablesVPC: a subnet's route table belongs to the subnet's VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateRouteTable.html
func subnetInTablesVPC(c *aws.Call) error {
	subnet := c.Find(awstype.Subnet, c.State().String("subnetId"))
	if subnet != nil && subnet.State.String("vpcId") != tableVPC(c) {
		return awserr.Errorf("InvalidParameterValue", "Route table %s and subnet %s belong to different networks",
			c.State().String("routeTableId"), subnet.ID)
	}
	return nil
}

// oneTablePerSubnet: a subnet has one route table.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateRouteTable.html
func oneTablePerSubnet(c *aws.Call) error {
	if len(c.Others("subnetId", "gatewayId")) > 0 {
		return awserr.Errorf("Resource.AlreadyAssociated", "the specified association for route table %s conflicts with "+
			"an existing association", c.State().String("routeTableId"))
	}
	return nil
}

// tableInVPC: a VPC's main table belongs to that VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ReplaceRouteTableAssociation.html
func tableInVPC(c *aws.Call) error {
	vpc := c.State().String("vpcId")
	if c.Old != nil {
		vpc = c.Old.State.String("vpcId")
	}
	if tableVPC(c) != vpc {
		return awserr.Errorf("InvalidParameterValue", "Route table %s and network %s belong to different networks",
			c.State().String("routeTableId"), vpc)
	}
	return nil
}

// setMainTable makes the route table in one of the call's properties the main one.
func setMainTable(c *aws.Call, property string) {
	if vpc := c.Edit(awstype.VPC, c.State().String("vpcId")); vpc != nil {
		vpc.State["mainRouteTableId"] = c.State().String(property)
	}
}

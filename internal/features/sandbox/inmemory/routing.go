package inmemory

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// routeTables returns the tables, and those that VPCs were created with, with their routes and associations as AWS
// lists them.
func (a Account) routeTables() ([]inventory.Resource, error) {
	lists := map[string][]inventory.Resource{}
	for _, token := range []string{awstype.VPC, awstype.MainRouteTableAssociation, awstype.RouteTable, awstype.Route,
		awstype.RouteTableAssociation} {
		found, err := a.list(token)
		if err != nil {
			return nil, err
		}
		lists[token] = found
	}
	tables := lists[awstype.RouteTable]
	for i, table := range tables {
		if slices.ContainsFunc(lists[awstype.MainRouteTableAssociation], func(m inventory.Resource) bool {
			return m.Text("routeTableId") == table.ID
		}) {
			tables[i].DeletedWith = "a main route table is deleted with its VPC"
		}
	}
	for _, vpc := range lists[awstype.VPC] {
		if first := vpc.Text("defaultRouteTableId"); first != "" {
			tables = append(tables, inventory.Resource{
				Type:       awstype.RouteTable,
				ID:         first,
				VPC:        vpc.ID,
				Properties: map[string]any{"vpcId": vpc.ID},
			})
		}
	}
	endpoints, err := a.list(awstype.VPCEndpoint)
	for i, table := range tables {
		var routes, associations []any
		for _, vpc := range lists[awstype.VPC] {
			if vpc.ID == table.Text("vpcId") {
				routes = append(routes, map[string]any{
					"routeTableId":         table.ID,
					"destinationCidrBlock": vpc.Text("cidrBlock"),
					"gatewayId":            "local",
					"state":                "active",
				})
				if block := vpc.Text("ipv6CidrBlock"); block != "" {
					routes = append(routes, map[string]any{
						"routeTableId":             table.ID,
						"destinationIpv6CidrBlock": block,
						"gatewayId":                "local",
						"state":                    "active",
					})
				}
				if vpc.Text("mainRouteTableId") == table.ID {
					associations = append(associations, map[string]any{"id": "rtbassoc-main-" + vpc.ID, "main": true})
				}
			}
		}
		inline, _ := table.Properties["routes"].([]any)
		for _, route := range inline {
			routes = append(routes, routeIn(table.ID, route.(map[string]any)))
		}
		for _, route := range lists[awstype.Route] {
			if route.Text("routeTableId") == table.ID {
				routes = append(routes, routeIn(table.ID, route.Properties))
			}
		}
		for _, endpoint := range endpoints {
			if slices.Contains(account.Texts(endpoint, "routeTableIds"), table.ID) {
				routes = append(routes, map[string]any{
					"routeTableId":            table.ID,
					"destinationPrefixListId": endpoint.Text("prefixListId"),
					"gatewayId":               endpoint.ID,
					"state":                   "active",
				})
			}
		}
		for _, one := range lists[awstype.RouteTableAssociation] {
			if one.Text("routeTableId") == table.ID {
				associations = append(associations, map[string]any{
					"id":        one.ID,
					"main":      false,
					"subnetId":  one.Text("subnetId"),
					"gatewayId": one.Text("gatewayId"),
				})
			}
		}
		tables[i].Properties = maps.Clone(table.Properties)
		tables[i].Properties["routes"], tables[i].Properties["associations"] = routes, associations
	}
	return tables, err
}

// routeIn returns a route in the form of AWS's list, in which an endpoint of a Gateway Load Balancer is a gateway.
func routeIn(table string, route map[string]any) map[string]any {
	listed := map[string]any{"routeTableId": table, "state": "active"}
	for name, value := range route {
		if text, _ := value.(string); text != "" && (strings.HasSuffix(name, "Id") ||
			strings.HasPrefix(name, "destination") || name == "coreNetworkArn") {
			listed[name] = value
		}
	}
	if cidr, _ := route["cidrBlock"].(string); cidr != "" {
		listed["destinationCidrBlock"] = cidr
	}
	if endpoint, _ := listed["vpcEndpointId"].(string); endpoint != "" {
		listed["gatewayId"] = endpoint
		delete(listed, "vpcEndpointId")
	}
	return listed
}

// networkACLs returns the ACLs that were seeded, and for subnets without one the default ACL of their VPC, which allows
// everything.
func (a Account) networkACLs() ([]inventory.Resource, error) {
	acls, err := a.list(awstype.NetworkACL)
	if err != nil {
		return nil, err
	}
	vpcs, err := a.list(awstype.VPC)
	if err != nil {
		return nil, err
	}
	subnets, err := a.list(awstype.Subnet)
	for _, vpc := range vpcs {
		var rest, rules []any
		for _, subnet := range subnets {
			if subnet.Text("vpcId") == vpc.ID && !slices.ContainsFunc(acls, func(acl inventory.Resource) bool { return slices.Contains(account.Texts(acl, "subnetIds"), subnet.ID) }) {
				rest = append(rest, subnet.ID)
			}
		}
		for _, egress := range []bool{false, true} {
			rules = append(rules, map[string]any{
				"egress":    egress,
				"number":    100.0,
				"action":    "allow",
				"protocol":  "-1",
				"cidrBlock": "0.0.0.0/0",
			})
		}
		id := cmp.Or(vpc.Text("defaultNetworkAclId"), "acl-"+strings.TrimPrefix(vpc.ID, "vpc-"))
		acls = append(acls, inventory.Resource{
			Type:        awstype.NetworkACL,
			ID:          id,
			VPC:         vpc.ID,
			DeletedWith: "a default network ACL is deleted with its VPC",
			Properties:  map[string]any{"vpcId": vpc.ID, "subnetIds": rest, "rules": rules},
		})
	}
	return acls, err
}

// peerings returns both sides of each peering connection, as AWS's own list has them.
func (a Account) peerings() ([]inventory.Resource, error) {
	connections, err := a.list(awstype.VPCPeering)
	var sides []inventory.Resource
	for _, connection := range connections {
		for _, side := range [][2]string{
			{connection.Text("vpcId"), connection.Text("peerVpcId")}, {connection.Text("peerVpcId"), connection.Text("vpcId")},
		} {
			sides = append(sides, inventory.Resource{Type: awstype.VPCPeering, ID: side[0], Properties: map[string]any{
				"connectionId": connection.ID, "peerVpcId": side[1],
			}})
		}
	}
	return sides, err
}

package account

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// routingListers list route tables and the resources that are parts of them.
func routingListers() map[string]lister {
	association := func(main bool) lister {
		return lister{list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
			part := func(t inventory.Resource, a map[string]any) (inventory.Resource, bool) {
				return named(a["id"].(string), map[string]any{
					"vpcId":        t.VPC,
					"routeTableId": t.ID,
					"subnetId":     a["subnetId"],
					"gatewayId":    a["gatewayId"],
				}), a["main"] == main
			}
			if main {
				return partsOf(awstype.RouteTable, "vpcId", "vpcId", "associations", part)(ctx, c, q)
			}
			return partsOf(awstype.RouteTable, "routeTableId", "id", "associations", part)(ctx, c, q)
		}}
	}
	return map[string]lister{
		awstype.RouteTable: {
			narrow: map[string]string{"id": "route-table-id", "vpcId": "vpc-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeRouteTables, &ec2.DescribeRouteTablesInput{RouteTableIds: q.IDs, Filters: q.filters},
					func(p *ec2.DescribeRouteTablesOutput) []ec2types.RouteTable { return p.RouteTables }, routeTable)
			},
			remove: deleteRouteTable,
		},
		awstype.Route: {list: partsOf(awstype.RouteTable, "routeTableId", "id", "routes",
			func(t inventory.Resource, route map[string]any) (inventory.Resource, bool) {
				return named(t.ID, route), true
			})},
		awstype.RouteTableAssociation:     association(false),
		awstype.MainRouteTableAssociation: association(true),
	}
}

// routeTable returns a route table. Its properties "routes" and "associations" have AWS's form.
func routeTable(t ec2types.RouteTable) inventory.Resource {
	r := one(t.RouteTableId, t.Tags, ec2Pair, map[string]any{"vpcId": t.VpcId, "ownerId": t.OwnerId})
	var routes, associations []any
	for _, route := range t.Routes {
		routes = append(routes, named("", map[string]any{
			"routeTableId": t.RouteTableId, "destinationCidrBlock": route.DestinationCidrBlock,
			"destinationIpv6CidrBlock": route.DestinationIpv6CidrBlock,
			"destinationPrefixListId":  route.DestinationPrefixListId, "gatewayId": route.GatewayId,
			"natGatewayId":     route.NatGatewayId,
			"transitGatewayId": route.TransitGatewayId, "vpcPeeringConnectionId": route.VpcPeeringConnectionId,
			"networkInterfaceId":  route.NetworkInterfaceId,
			"egressOnlyGatewayId": route.EgressOnlyInternetGatewayId, "localGatewayId": route.LocalGatewayId,
			"carrierGatewayId": route.CarrierGatewayId,
			"coreNetworkArn":   route.CoreNetworkArn, "state": string(route.State)}).Properties)
	}
	for _, a := range t.Associations {
		if aws.ToBool(a.Main) {
			r.DeletedWith = "a main route table is deleted with its VPC"
		}
		associations = append(associations, map[string]any{"id": aws.ToString(a.RouteTableAssociationId),
			"main":     aws.ToBool(a.Main),
			"subnetId": aws.ToString(a.SubnetId), "gatewayId": aws.ToString(a.GatewayId)})
	}
	r.Properties["routes"], r.Properties["associations"] = routes, associations
	return r
}

func deleteRouteTable(ctx context.Context, c *clients, r inventory.Resource) error {
	tables, err := each(ctx, c.ec2.DescribeRouteTables, &ec2.DescribeRouteTablesInput{
		Filters: []ec2types.Filter{filter("route-table-id", r.ID)},
	},
		func(p *ec2.DescribeRouteTablesOutput) []ec2types.RouteTable { return p.RouteTables }, routeTable)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if table.DeletedWith != "" {
			return fmt.Errorf("route table %s is now the main route table of VPC %s", r.ID, r.VPC)
		}
		for _, association := range table.Properties["associations"].([]any) {
			id := association.(map[string]any)["id"].(string)
			if _, err := c.ec2.DisassociateRouteTable(ctx,
				&ec2.DisassociateRouteTableInput{AssociationId: &id}); err != nil && !gone(err) {
				return err
			}
		}
	}
	return send(ctx, c.ec2.DeleteRouteTable, &ec2.DeleteRouteTableInput{RouteTableId: &r.ID})
}

// groupListers list security groups and their rules.
func groupListers() map[string]lister {
	narrow := map[string]string{"vpcId": "vpc-id"}
	list := func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
		return each(ctx, c.ec2.DescribeSecurityGroups, &ec2.DescribeSecurityGroupsInput{GroupIds: q.IDs, Filters: q.filters},
			func(p *ec2.DescribeSecurityGroupsOutput) []ec2types.SecurityGroup { return p.SecurityGroups }, securityGroup)
	}
	return map[string]lister{
		awstype.SecurityGroup: {narrow: narrow, list: list, release: revokeGroupRules,
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteSecurityGroup, &ec2.DeleteSecurityGroupInput{GroupId: &r.ID})
			}},
		awstype.DefaultSecurityGroup: {narrow: narrow,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				q.filters = append(q.filters, filter("group-name", "default"))
				return list(ctx, c, q)
			}},
		awstype.SecurityGroupIngressRule: ruleLister(false),
		awstype.SecurityGroupEgressRule:  ruleLister(true),
	}
}

// securityGroup returns a security group; "ingress" and "egress" have one element per rule.
func securityGroup(g ec2types.SecurityGroup) inventory.Resource {
	r := one(g.GroupId, g.Tags, ec2Pair, map[string]any{"vpcId": g.VpcId, "ownerId": g.OwnerId, "name": g.GroupName,
		"description": g.Description,
		"ingress":     make([]any, len(g.IpPermissions)), "egress": make([]any, len(g.IpPermissionsEgress))})
	if aws.ToString(g.GroupName) == "default" {
		r.DeletedWith = "a default security group is deleted with its VPC"
	}
	return r
}

func ruleLister(egress bool) lister {
	return lister{narrow: map[string]string{"securityGroupId": "group-id"}, list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
		return each(ctx, c.ec2.DescribeSecurityGroupRules, &ec2.DescribeSecurityGroupRulesInput{
			SecurityGroupRuleIds: q.IDs,
			Filters:              q.filters,
		},
			func(p *ec2.DescribeSecurityGroupRulesOutput) []ec2types.SecurityGroupRule {
				return p.SecurityGroupRules
			},
			func(r ec2types.SecurityGroupRule) inventory.Resource {
				if aws.ToBool(r.IsEgress) != egress {
					return inventory.Resource{}
				}
				properties := map[string]any{"description": r.Description, "securityGroupId": r.GroupId, "ipProtocol": r.IpProtocol,
					"cidrIpv4":     r.CidrIpv4,
					"cidrIpv6":     r.CidrIpv6,
					"prefixListId": r.PrefixListId, "fromPort": r.FromPort, "toPort": r.ToPort}
				if r.ReferencedGroupInfo != nil {
					properties["referencedSecurityGroupId"] = r.ReferencedGroupInfo.GroupId
				}
				return one(r.SecurityGroupRuleId, r.Tags, ec2Pair, properties)
			})
	}}
}

// revokeGroupRules removes the rules that refer to groups: AWS refuses to delete a group that another one refers to.
func revokeGroupRules(ctx context.Context, c *clients, r inventory.Resource) error {
	page, err := c.ec2.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{GroupIds: []string{r.ID}})
	if err != nil {
		return err
	}
	for _, g := range page.SecurityGroups {
		if rules := referring(g.IpPermissions); len(rules) > 0 {
			if _, err := c.ec2.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{
				GroupId:       &r.ID,
				IpPermissions: rules,
			}); err != nil {
				return err
			}
		}
		if rules := referring(g.IpPermissionsEgress); len(rules) > 0 {
			if _, err := c.ec2.RevokeSecurityGroupEgress(ctx, &ec2.RevokeSecurityGroupEgressInput{
				GroupId:       &r.ID,
				IpPermissions: rules,
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// referring returns the parts of rules that refer to groups.
func referring(rules []ec2types.IpPermission) []ec2types.IpPermission {
	var parts []ec2types.IpPermission
	for _, rule := range rules {
		if len(rule.UserIdGroupPairs) > 0 {
			rule.IpRanges, rule.Ipv6Ranges, rule.PrefixListIds = nil, nil, nil
			parts = append(parts, rule)
		}
	}
	return parts
}

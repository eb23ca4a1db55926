package orphan

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
)

func listInterfaces(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeNetworkInterfacesPaginator(awsrequest.DescribeNetworkInterfaces(c.ec2.DescribeNetworkInterfaces), &ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: ids})
	return listed(ctx, "network interfaces", pages, func(page *ec2.DescribeNetworkInterfacesOutput) []ec2types.NetworkInterface {
		return page.NetworkInterfaces
	},
		func(n ec2types.NetworkInterface) Leftover {
			l := ec2One(n.NetworkInterfaceId, n.TagSet)
			l.Owner, l.VPC, l.State = aws.ToString(n.OwnerId), aws.ToString(n.VpcId), string(n.Status)
			l.Description = aws.ToString(n.Description)
			for _, group := range n.Groups {
				l.Groups = append(l.Groups, aws.ToString(group.GroupId))
			}
			if n.Attachment != nil && aws.ToString(n.Attachment.InstanceId) != "" {
				l.UsedBy = []string{aws.ToString(n.Attachment.InstanceId)}
			}
			return l
		})
}

func deleteInterface(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.DeleteNetworkInterface, &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: &l.ID})
}

func listGroups(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeSecurityGroupsPaginator(awsrequest.DescribeSecurityGroups(c.ec2.DescribeSecurityGroups), &ec2.DescribeSecurityGroupsInput{GroupIds: ids})
	return listed(ctx, "security groups", pages, func(page *ec2.DescribeSecurityGroupsOutput) []ec2types.SecurityGroup { return page.SecurityGroups },
		func(g ec2types.SecurityGroup) Leftover {
			l := ec2One(g.GroupId, g.Tags)
			l.Owner, l.VPC = aws.ToString(g.OwnerId), aws.ToString(g.VpcId)
			if aws.ToString(g.GroupName) == "default" {
				l.Kept = "a default security group is deleted with its VPC"
			}
			return l
		})
}

// revokeGroupRules removes the rules that refer to groups: AWS refuses to delete a group that another one refers to.
func revokeGroupRules(ctx context.Context, c *clients, l Leftover) error {
	page, err := c.ec2.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{GroupIds: []string{l.ID}})
	if err != nil {
		return err
	}
	for _, g := range page.SecurityGroups {
		if rules := referring(g.IpPermissions); len(rules) > 0 {
			if _, err := c.ec2.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: &l.ID, IpPermissions: rules}); err != nil {
				return err
			}
		}
		if rules := referring(g.IpPermissionsEgress); len(rules) > 0 {
			if _, err := c.ec2.RevokeSecurityGroupEgress(ctx, &ec2.RevokeSecurityGroupEgressInput{GroupId: &l.ID, IpPermissions: rules}); err != nil {
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

func deleteGroup(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.DeleteSecurityGroup, &ec2.DeleteSecurityGroupInput{GroupId: &l.ID})
}

func listRouteTables(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeRouteTablesPaginator(awsrequest.DescribeRouteTables(c.ec2.DescribeRouteTables), &ec2.DescribeRouteTablesInput{RouteTableIds: ids})
	return listed(ctx, "route tables", pages, func(page *ec2.DescribeRouteTablesOutput) []ec2types.RouteTable { return page.RouteTables },
		func(t ec2types.RouteTable) Leftover {
			l := ec2One(t.RouteTableId, t.Tags)
			l.Owner, l.VPC = aws.ToString(t.OwnerId), aws.ToString(t.VpcId)
			for _, association := range t.Associations {
				if aws.ToBool(association.Main) {
					l.Kept = "a main route table is deleted with its VPC"
				}
			}
			return l
		})
}

func deleteRouteTable(ctx context.Context, c *clients, l Leftover) error {
	tables, err := routeTables(ctx, c.ec2, filter("route-table-id", l.ID))
	if err != nil {
		return err
	}
	for _, table := range tables {
		for _, association := range table.Associations {
			if aws.ToBool(association.Main) {
				return fmt.Errorf("route table %s is now the main route table of VPC %s", l.ID, l.VPC)
			}
		}
		for _, association := range table.Associations {
			_, err := c.ec2.DisassociateRouteTable(ctx, &ec2.DisassociateRouteTableInput{AssociationId: association.RouteTableAssociationId})
			if err != nil && !gone(err) {
				return err
			}
		}
	}
	_, err = c.ec2.DeleteRouteTable(ctx, &ec2.DeleteRouteTableInput{RouteTableId: &l.ID})
	return err
}

func listInternetGateways(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeInternetGatewaysPaginator(awsrequest.DescribeInternetGateways(c.ec2.DescribeInternetGateways), &ec2.DescribeInternetGatewaysInput{InternetGatewayIds: ids})
	return listed(ctx, "internet gateways", pages, func(page *ec2.DescribeInternetGatewaysOutput) []ec2types.InternetGateway {
		return page.InternetGateways
	},
		func(g ec2types.InternetGateway) Leftover {
			l := ec2One(g.InternetGatewayId, g.Tags)
			l.Owner = aws.ToString(g.OwnerId)
			for _, attachment := range g.Attachments {
				l.VPC = aws.ToString(attachment.VpcId)
			}
			return l
		})
}

func deleteInternetGateway(ctx context.Context, c *clients, l Leftover) error {
	if l.VPC != "" {
		_, err := c.ec2.DetachInternetGateway(ctx, &ec2.DetachInternetGatewayInput{InternetGatewayId: &l.ID, VpcId: &l.VPC})
		if err != nil && code(err) != "Gateway.NotAttached" && !gone(err) {
			return err
		}
	}
	return send(ctx, c.ec2.DeleteInternetGateway, &ec2.DeleteInternetGatewayInput{InternetGatewayId: &l.ID})
}

func listSubnets(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeSubnetsPaginator(awsrequest.DescribeSubnets(c.ec2.DescribeSubnets), &ec2.DescribeSubnetsInput{SubnetIds: ids})
	return listed(ctx, "subnets", pages, func(page *ec2.DescribeSubnetsOutput) []ec2types.Subnet { return page.Subnets }, func(s ec2types.Subnet) Leftover {
		l := ec2One(s.SubnetId, s.Tags)
		l.Owner, l.VPC, l.ARN = aws.ToString(s.OwnerId), aws.ToString(s.VpcId), aws.ToString(s.SubnetArn)
		return l
	})
}

func deleteSubnet(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.DeleteSubnet, &ec2.DeleteSubnetInput{SubnetId: &l.ID})
}

func listVPCs(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeVpcsPaginator(awsrequest.DescribeVpcs(c.ec2.DescribeVpcs), &ec2.DescribeVpcsInput{VpcIds: ids})
	return listed(ctx, "VPCs", pages, func(page *ec2.DescribeVpcsOutput) []ec2types.Vpc { return page.Vpcs }, func(v ec2types.Vpc) Leftover {
		l := ec2One(v.VpcId, v.Tags)
		l.Owner, l.VPC = aws.ToString(v.OwnerId), aws.ToString(v.VpcId)
		return l
	})
}

func deleteVPC(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.DeleteVpc, &ec2.DeleteVpcInput{VpcId: &l.ID})
}

func listDHCPOptions(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeDhcpOptionsPaginator(awsrequest.DescribeDhcpOptions(c.ec2.DescribeDhcpOptions), &ec2.DescribeDhcpOptionsInput{DhcpOptionsIds: ids})
	return listed(ctx, "DHCP options", pages, func(page *ec2.DescribeDhcpOptionsOutput) []ec2types.DhcpOptions { return page.DhcpOptions },
		func(o ec2types.DhcpOptions) Leftover {
			l := ec2One(o.DhcpOptionsId, o.Tags)
			l.Owner = aws.ToString(o.OwnerId)
			return l
		})
}

func deleteDHCPOptions(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.DeleteDhcpOptions, &ec2.DeleteDhcpOptionsInput{DhcpOptionsId: &l.ID})
}

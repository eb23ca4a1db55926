package orphan

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
)

func listInterfaces(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeNetworkInterfacesPaginator(awsrequest.DescribeNetworkInterfaces(c.ec2.DescribeNetworkInterfaces), &ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: ids})
	err = eachPage(ctx, pages, func(page *ec2.DescribeNetworkInterfacesOutput) {
		for _, n := range page.NetworkInterfaces {
			l := ec2One(n.NetworkInterfaceId, n.TagSet)
			l.Owner, l.VPC, l.State = aws.ToString(n.OwnerId), aws.ToString(n.VpcId), string(n.Status)
			l.Description = aws.ToString(n.Description)
			for _, group := range n.Groups {
				l.Groups = append(l.Groups, aws.ToString(group.GroupId))
			}
			if n.Attachment != nil && aws.ToString(n.Attachment.InstanceId) != "" {
				l.UsedBy = []string{aws.ToString(n.Attachment.InstanceId)}
			}
			found = append(found, l)
		}
	})
	return found, explained("network interfaces", err)
}

func deleteInterface(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteNetworkInterface(ctx, &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: &l.ID})
	return err
}

func listGroups(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeSecurityGroupsPaginator(awsrequest.DescribeSecurityGroups(c.ec2.DescribeSecurityGroups), &ec2.DescribeSecurityGroupsInput{GroupIds: ids})
	err = eachPage(ctx, pages, func(page *ec2.DescribeSecurityGroupsOutput) {
		for _, g := range page.SecurityGroups {
			l := ec2One(g.GroupId, g.Tags)
			l.Owner, l.VPC = aws.ToString(g.OwnerId), aws.ToString(g.VpcId)
			if aws.ToString(g.GroupName) == "default" {
				l.Kept = "a default security group is deleted with its VPC"
			}
			found = append(found, l)
		}
	})
	return found, explained("security groups", err)
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
	_, err := c.ec2.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: &l.ID})
	return err
}

func listRouteTables(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeRouteTablesPaginator(awsrequest.DescribeRouteTables(c.ec2.DescribeRouteTables), &ec2.DescribeRouteTablesInput{RouteTableIds: ids})
	err = eachPage(ctx, pages, func(page *ec2.DescribeRouteTablesOutput) {
		for _, t := range page.RouteTables {
			l := ec2One(t.RouteTableId, t.Tags)
			l.Owner, l.VPC = aws.ToString(t.OwnerId), aws.ToString(t.VpcId)
			for _, association := range t.Associations {
				if aws.ToBool(association.Main) {
					l.Kept = "a main route table is deleted with its VPC"
				}
			}
			found = append(found, l)
		}
	})
	return found, explained("route tables", err)
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

func listInternetGateways(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeInternetGatewaysPaginator(awsrequest.DescribeInternetGateways(c.ec2.DescribeInternetGateways), &ec2.DescribeInternetGatewaysInput{InternetGatewayIds: ids})
	err = eachPage(ctx, pages, func(page *ec2.DescribeInternetGatewaysOutput) {
		for _, g := range page.InternetGateways {
			l := ec2One(g.InternetGatewayId, g.Tags)
			l.Owner = aws.ToString(g.OwnerId)
			for _, attachment := range g.Attachments {
				l.VPC = aws.ToString(attachment.VpcId)
			}
			found = append(found, l)
		}
	})
	return found, explained("internet gateways", err)
}

func deleteInternetGateway(ctx context.Context, c *clients, l Leftover) error {
	if l.VPC != "" {
		_, err := c.ec2.DetachInternetGateway(ctx, &ec2.DetachInternetGatewayInput{InternetGatewayId: &l.ID, VpcId: &l.VPC})
		if err != nil && code(err) != "Gateway.NotAttached" && !gone(err) {
			return err
		}
	}
	_, err := c.ec2.DeleteInternetGateway(ctx, &ec2.DeleteInternetGatewayInput{InternetGatewayId: &l.ID})
	return err
}

func listSubnets(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeSubnetsPaginator(awsrequest.DescribeSubnets(c.ec2.DescribeSubnets), &ec2.DescribeSubnetsInput{SubnetIds: ids})
	err = eachPage(ctx, pages, func(page *ec2.DescribeSubnetsOutput) {
		for _, s := range page.Subnets {
			l := ec2One(s.SubnetId, s.Tags)
			l.Owner, l.VPC, l.ARN = aws.ToString(s.OwnerId), aws.ToString(s.VpcId), aws.ToString(s.SubnetArn)
			found = append(found, l)
		}
	})
	return found, explained("subnets", err)
}

func deleteSubnet(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: &l.ID})
	return err
}

func listVPCs(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeVpcsPaginator(awsrequest.DescribeVpcs(c.ec2.DescribeVpcs), &ec2.DescribeVpcsInput{VpcIds: ids})
	err = eachPage(ctx, pages, func(page *ec2.DescribeVpcsOutput) {
		for _, v := range page.Vpcs {
			l := ec2One(v.VpcId, v.Tags)
			l.Owner, l.VPC = aws.ToString(v.OwnerId), aws.ToString(v.VpcId)
			found = append(found, l)
		}
	})
	return found, explained("VPCs", err)
}

func deleteVPC(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteVpc(ctx, &ec2.DeleteVpcInput{VpcId: &l.ID})
	return err
}

func listDHCPOptions(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeDhcpOptionsPaginator(awsrequest.DescribeDhcpOptions(c.ec2.DescribeDhcpOptions), &ec2.DescribeDhcpOptionsInput{DhcpOptionsIds: ids})
	err = eachPage(ctx, pages, func(page *ec2.DescribeDhcpOptionsOutput) {
		for _, o := range page.DhcpOptions {
			l := ec2One(o.DhcpOptionsId, o.Tags)
			l.Owner = aws.ToString(o.OwnerId)
			found = append(found, l)
		}
	})
	return found, explained("DHCP options", err)
}

func deleteDHCPOptions(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteDhcpOptions(ctx, &ec2.DeleteDhcpOptionsInput{DhcpOptionsId: &l.ID})
	return err
}

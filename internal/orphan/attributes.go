package orphan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/route53"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// routeTables returns the route tables that match the filters.
func routeTables(ctx context.Context, client *ec2.Client, filters ...ec2types.Filter) ([]ec2types.RouteTable, error) {
	pages := ec2.NewDescribeRouteTablesPaginator(awsrequest.DescribeRouteTables(client.DescribeRouteTables), &ec2.DescribeRouteTablesInput{Filters: filters})
	var tables []ec2types.RouteTable
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing route tables: %w", err)
		}
		tables = append(tables, page.RouteTables...)
	}
	return tables, nil
}

// vpcWithID returns the VPC with that ID as a list, empty if it does not exist.
func vpcWithID(ctx context.Context, client *ec2.Client, id string) ([]ec2types.Vpc, error) {
	found, err := client.DescribeVpcs(ctx, &ec2.DescribeVpcsInput{Filters: []ec2types.Filter{filter("vpc-id", id)}})
	if err != nil {
		return nil, fmt.Errorf("reading VPC %s: %w", id, err)
	}
	return found.Vpcs, nil
}

func filter(name, value string) ec2types.Filter {
	return ec2types.Filter{Name: aws.String(name), Values: []string{value}}
}

// findMainAssociation finds the association of the query's table as the main route table of its VPC.
func findMainAssociation(ctx context.Context, client *ec2.Client, q Query) ([]string, error) {
	tables, err := routeTables(ctx, client, filter("vpc-id", q.Text("vpcId")), filter("association.main", "true"))
	var ids []string
	for _, table := range tables {
		for _, association := range table.Associations {
			if aws.ToBool(association.Main) && aws.ToString(table.RouteTableId) == q.Text("routeTableId") {
				ids = append(ids, aws.ToString(association.RouteTableAssociationId))
			}
		}
	}
	return ids, err
}

// isAssociated reports whether the query's subnet or gateway is associated with its route table.
func isAssociated(ctx context.Context, client *ec2.Client, q Query) (bool, error) {
	tables, err := routeTables(ctx, client, filter("route-table-id", q.Text("routeTableId")))
	for _, table := range tables {
		for _, association := range table.Associations {
			if aws.ToString(association.SubnetId) == q.Text("subnetId") && aws.ToString(association.GatewayId) == q.Text("gatewayId") &&
				!aws.ToBool(association.Main) {
				return true, err
			}
		}
	}
	return false, err
}

// usesOptions reports whether the query's VPC uses its DHCP options.
func usesOptions(ctx context.Context, client *ec2.Client, q Query) (bool, error) {
	vpcs, err := vpcWithID(ctx, client, q.Text("vpcId"))
	for _, vpc := range vpcs {
		if aws.ToString(vpc.DhcpOptionsId) == q.Text("dhcpOptionsId") {
			return true, err
		}
	}
	return false, err
}

// findSecondaryCIDR finds the association of the query's CIDR with its VPC.
func findSecondaryCIDR(ctx context.Context, client *ec2.Client, q Query) ([]string, error) {
	vpcs, err := vpcWithID(ctx, client, q.Text("vpcId"))
	var ids []string
	for _, vpc := range vpcs {
		for _, block := range vpc.CidrBlockAssociationSet {
			gone := block.CidrBlockState != nil && block.CidrBlockState.State == ec2types.VpcCidrBlockStateCodeDisassociated
			if aws.ToString(block.CidrBlock) == q.Text("cidrBlock") && !gone {
				ids = append(ids, aws.ToString(block.AssociationId))
			}
		}
	}
	return ids, err
}

// findRule finds a rule in its security group, which has each rule at most once, whatever its tags and description.
func findRule(ctx context.Context, client *ec2.Client, q Query) ([]string, error) {
	pages := ec2.NewDescribeSecurityGroupRulesPaginator(awsrequest.DescribeSecurityGroupRules(client.DescribeSecurityGroupRules), &ec2.DescribeSecurityGroupRulesInput{Filters: []ec2types.Filter{
		{Name: aws.String("group-id"), Values: []string{q.Text("securityGroupId")}},
	}})
	var ids []string
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing the rules of %s: %w", q.Text("securityGroupId"), err)
		}
		for _, rule := range page.SecurityGroupRules {
			if isRule(rule, q) {
				ids = append(ids, aws.ToString(rule.SecurityGroupRuleId))
			}
		}
	}
	return ids, nil
}

func isRule(rule ec2types.SecurityGroupRule, q Query) bool {
	group := ""
	if rule.ReferencedGroupInfo != nil {
		group = aws.ToString(rule.ReferencedGroupInfo.GroupId)
	}
	for input, value := range map[string]string{
		"ipProtocol": aws.ToString(rule.IpProtocol), "cidrIpv4": aws.ToString(rule.CidrIpv4), "cidrIpv6": aws.ToString(rule.CidrIpv6),
		"prefixListId": aws.ToString(rule.PrefixListId), "referencedSecurityGroupId": group,
	} {
		if q.Text(input) != value {
			return false
		}
	}
	return aws.ToBool(rule.IsEgress) == (q.Type == awstype.SecurityGroupEgressRule) &&
		isPort(rule.FromPort, q.Inputs["fromPort"]) && isPort(rule.ToPort, q.Inputs["toPort"])
}

// isPort reports whether a port equals the query's. For all protocols together EC2 returns -1 if no port was set.
func isPort(port *int32, asked any) bool {
	number, ok := asked.(float64)
	if !ok {
		return port == nil || *port == -1
	}
	return port != nil && float64(*port) == number
}

// findZones finds hosted zones by name and, for private ones, by VPC. A zone is tagged after its creation, so an interrupted creation may
// leave a zone without tags. AWS allows one private zone per name and VPC, but any number of public zones with the same name.
func findZones(ctx context.Context, client *route53.Client, q Query) ([]string, error) {
	name, vpcs := strings.TrimSuffix(q.Text("name"), "."), q.texts("vpcs.vpcId")
	request := &route53.ListHostedZonesByNameInput{DNSName: aws.String(name)}
	var ids []string
	for {
		page, err := client.ListHostedZonesByName(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("listing the hosted zones called %s: %w", name, err)
		}
		for _, zone := range page.HostedZones {
			private := zone.Config != nil && zone.Config.PrivateZone
			if strings.TrimSuffix(aws.ToString(zone.Name), ".") != name || private != (len(vpcs) > 0) {
				continue
			}
			if private {
				in, err := isIn(ctx, client, zone.Id, vpcs)
				if err != nil {
					return nil, err
				}
				if !in {
					continue
				}
			}
			ids = append(ids, strings.TrimPrefix(aws.ToString(zone.Id), "/hostedzone/"))
		}
		// The list is sorted by name and begins at the given one.
		if !page.IsTruncated || strings.TrimSuffix(aws.ToString(page.NextDNSName), ".") != name {
			return ids, nil
		}
		request.DNSName, request.HostedZoneId = page.NextDNSName, page.NextHostedZoneId
	}
}

// isIn reports whether a private zone is associated with one of the VPCs.
func isIn(ctx context.Context, client *route53.Client, id *string, vpcs []string) (bool, error) {
	zone, err := client.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: id})
	if err != nil {
		return false, fmt.Errorf("reading the hosted zone %s: %w", aws.ToString(id), err)
	}
	for _, vpc := range zone.VPCs {
		if slices.Contains(vpcs, aws.ToString(vpc.VPCId)) {
			return true, nil
		}
	}
	return false, nil
}

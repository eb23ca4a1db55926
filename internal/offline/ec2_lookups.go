package offline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
)

func getVPCEndpoint(c *call, args ec2.LookupVpcEndpointArgs) (*ec2.LookupVpcEndpointResult, error) {
	rec, err := c.only("EC2 VPC Endpoint", endpointToken, deref(args.Id), args.Tags, func(s props) bool {
		return matches(s, "vpcId", args.VpcId) && matches(s, "serviceName", args.ServiceName) && matches(s, "state", args.State)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, noFilters(len(args.Filters)))
	}
	s := rec.State
	result := &ec2.LookupVpcEndpointResult{Id: rec.ID, Arn: s.text("arn"), ServiceName: s.text("serviceName"),
		VpcId: s.text("vpcId"), VpcEndpointType: s.text("vpcEndpointType"), State: s.text("state"), OwnerId: s.text("ownerId"),
		SubnetIds: s.texts("subnetIds"), SecurityGroupIds: s.texts("securityGroupIds"), RouteTableIds: c.tablesOf(rec),
		NetworkInterfaceIds: s.texts("networkInterfaceIds"), PrivateDnsEnabled: s.yes("privateDnsEnabled"),
		Policy: s.text("policy"), PrefixListId: s.text("prefixListId"), IpAddressType: s.text("ipAddressType"),
		CidrBlocks: s.texts("cidrBlocks"), DnsOptions: []ec2.GetVpcEndpointDnsOption{}, Tags: tagsOf(s)}
	for _, entry := range s.objects("dnsEntries") {
		result.DnsEntries = append(result.DnsEntries, ec2.GetVpcEndpointDnsEntry{DnsName: entry.text("dnsName"),
			HostedZoneId: entry.text("hostedZoneId")})
	}
	return result, nil
}

// getSubnets: subnets are filtered by what EC2 knows of them.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSubnets.html
func getSubnets(c *call, args ec2.GetSubnetsArgs) (*ec2.GetSubnetsResult, error) {
	vpcs := []string{}
	for _, f := range args.Filters {
		if f.Name != "vpc-id" {
			return nil, fmt.Errorf("reading EC2 Subnets: %w", refuse("InvalidParameterValue",
				"The filter '%s' is invalid; the offline account knows vpc-id", f.Name))
		}
		vpcs = append(vpcs, f.Values...)
	}
	result := &ec2.GetSubnetsResult{Id: c.region, Ids: []string{}, Filters: args.Filters, Tags: args.Tags}
	for _, rec := range c.all(subnetToken) {
		if tagged(rec.State, args.Tags) && (len(vpcs) == 0 || slices.Contains(vpcs, rec.State.text("vpcId"))) {
			result.Ids = append(result.Ids, rec.ID)
		}
	}
	return result, nil
}

func getSecurityGroups(c *call, args ec2.GetSecurityGroupsArgs) (*ec2.GetSecurityGroupsResult, error) {
	if err := noFilters(len(args.Filters)); err != nil {
		return nil, err
	}
	result := &ec2.GetSecurityGroupsResult{Id: c.region, Ids: []string{}, Arns: []string{}, VpcIds: []string{}, Tags: args.Tags}
	for _, rec := range c.all(securityGroupToken) {
		if tagged(rec.State, args.Tags) {
			result.Ids, result.Arns = append(result.Ids, rec.ID), append(result.Arns, rec.State.text("arn"))
			result.VpcIds = append(result.VpcIds, rec.State.text("vpcId"))
		}
	}
	return result, nil
}

// getSecurityGroupRules: rules are filtered by what EC2 knows of them.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSecurityGroupRules.html
func getSecurityGroupRules(c *call, args vpc.GetSecurityGroupRulesArgs) (*vpc.GetSecurityGroupRulesResult, error) {
	groups := []string{}
	for _, f := range args.Filters {
		if f.Name != "group-id" {
			return nil, fmt.Errorf("reading VPC Security Group Rules: %w", refuse("InvalidParameterValue",
				"The filter '%s' is invalid; the offline account knows group-id", f.Name))
		}
		groups = append(groups, f.Values...)
	}
	result := &vpc.GetSecurityGroupRulesResult{Id: c.region, Ids: []string{}, Filters: args.Filters, Tags: args.Tags}
	for _, token := range []string{ingressRuleToken, egressRuleToken} {
		for _, rec := range c.all(token) {
			if tagged(rec.State, args.Tags) && (len(groups) == 0 || slices.Contains(groups, rec.State.text("securityGroupId"))) {
				result.Ids = append(result.Ids, rec.ID)
			}
		}
	}
	return result, nil
}

func getSecurityGroupRule(c *call, args vpc.GetSecurityGroupRuleArgs) (*vpc.GetSecurityGroupRuleResult, error) {
	if err := noFilters(len(args.Filters)); err != nil {
		return nil, err
	}
	for _, token := range []string{ingressRuleToken, egressRuleToken} {
		rec := c.find(token, deref(args.SecurityGroupRuleId))
		if rec == nil {
			continue
		}
		s := rec.State
		return &vpc.GetSecurityGroupRuleResult{Id: rec.ID, SecurityGroupRuleId: rec.ID, Arn: s.text("arn"),
			SecurityGroupId: s.text("securityGroupId"), IsEgress: token == egressRuleToken, CidrIpv4: s.text("cidrIpv4"),
			CidrIpv6: s.text("cidrIpv6"), PrefixListId: s.text("prefixListId"), IpProtocol: s.text("ipProtocol"),
			ReferencedSecurityGroupId: s.text("referencedSecurityGroupId"), Description: s.text("description"),
			FromPort: int(s.number("fromPort")), ToPort: int(s.number("toPort")), Tags: tagsOf(s)}, nil
	}
	return nil, errors.New("no matching Security Group Rule found")
}

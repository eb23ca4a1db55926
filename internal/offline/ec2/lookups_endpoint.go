package ec2

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func getVPCEndpoint(c *aws.Call, args ec2.LookupVpcEndpointArgs) (*ec2.LookupVpcEndpointResult, error) {
	rec, err := c.FindOne("EC2 VPC Endpoint", awstype.VPCEndpoint, aws.Deref(args.Id), args.Tags, func(s props.Map) bool {
		return aws.Matches(s, "vpcId", args.VpcId) && aws.Matches(s, "serviceName", args.ServiceName) && aws.Matches(s, "state", args.State)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	s := rec.State
	result := &ec2.LookupVpcEndpointResult{Id: rec.ID, Arn: s.String("arn"), ServiceName: s.String("serviceName"),
		VpcId: s.String("vpcId"), VpcEndpointType: s.String("vpcEndpointType"), State: s.String("state"), OwnerId: s.String("ownerId"),
		SubnetIds: s.Strings("subnetIds"), SecurityGroupIds: s.Strings("securityGroupIds"), RouteTableIds: tablesOf(c, rec),
		NetworkInterfaceIds: s.Strings("networkInterfaceIds"), PrivateDnsEnabled: s.Bool("privateDnsEnabled"),
		Policy: s.String("policy"), PrefixListId: s.String("prefixListId"), IpAddressType: s.String("ipAddressType"),
		CidrBlocks: s.Strings("cidrBlocks"), DnsOptions: []ec2.GetVpcEndpointDnsOption{}, Tags: aws.TagsOf(s)}
	for _, entry := range s.Objects("dnsEntries") {
		result.DnsEntries = append(result.DnsEntries, ec2.GetVpcEndpointDnsEntry{DnsName: entry.String("dnsName"),
			HostedZoneId: entry.String("hostedZoneId")})
	}
	return result, nil
}

// getSubnets: only the filter vpc-id is supported.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSubnets.html
func getSubnets(c *aws.Call, args ec2.GetSubnetsArgs) (*ec2.GetSubnetsResult, error) {
	vpcs := []string{}
	for _, f := range args.Filters {
		if f.Name != "vpc-id" {
			return nil, fmt.Errorf("reading EC2 Subnets: %w", awserr.Errorf("InvalidParameterValue",
				"The filter '%s' is invalid; the offline account supports vpc-id", f.Name))
		}
		vpcs = append(vpcs, f.Values...)
	}
	result := &ec2.GetSubnetsResult{Id: c.Region, Ids: []string{}, Filters: args.Filters, Tags: args.Tags}
	for _, rec := range c.All(awstype.Subnet) {
		if aws.Tagged(rec.State, args.Tags) && (len(vpcs) == 0 || slices.Contains(vpcs, rec.State.String("vpcId"))) {
			result.Ids = append(result.Ids, rec.ID)
		}
	}
	return result, nil
}

func getSecurityGroups(c *aws.Call, args ec2.GetSecurityGroupsArgs) (*ec2.GetSecurityGroupsResult, error) {
	if err := aws.NoFilters(len(args.Filters)); err != nil {
		return nil, err
	}
	result := &ec2.GetSecurityGroupsResult{Id: c.Region, Ids: []string{}, Arns: []string{}, VpcIds: []string{}, Tags: args.Tags}
	for _, rec := range c.All(awstype.SecurityGroup) {
		if aws.Tagged(rec.State, args.Tags) {
			result.Ids, result.Arns = append(result.Ids, rec.ID), append(result.Arns, rec.State.String("arn"))
			result.VpcIds = append(result.VpcIds, rec.State.String("vpcId"))
		}
	}
	return result, nil
}

// getSecurityGroupRules: only the filter group-id is supported.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSecurityGroupRules.html
func getSecurityGroupRules(c *aws.Call, args vpc.GetSecurityGroupRulesArgs) (*vpc.GetSecurityGroupRulesResult, error) {
	groups := []string{}
	for _, f := range args.Filters {
		if f.Name != "group-id" {
			return nil, fmt.Errorf("reading VPC Security Group Rules: %w", awserr.Errorf("InvalidParameterValue",
				"The filter '%s' is invalid; the offline account supports group-id", f.Name))
		}
		groups = append(groups, f.Values...)
	}
	result := &vpc.GetSecurityGroupRulesResult{Id: c.Region, Ids: []string{}, Filters: args.Filters, Tags: args.Tags}
	for _, token := range []string{awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule} {
		for _, rec := range c.All(token) {
			if aws.Tagged(rec.State, args.Tags) && (len(groups) == 0 || slices.Contains(groups, rec.State.String("securityGroupId"))) {
				result.Ids = append(result.Ids, rec.ID)
			}
		}
	}
	return result, nil
}

func getSecurityGroupRule(c *aws.Call, args vpc.GetSecurityGroupRuleArgs) (*vpc.GetSecurityGroupRuleResult, error) {
	if err := aws.NoFilters(len(args.Filters)); err != nil {
		return nil, err
	}
	for _, token := range []string{awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule} {
		rec := c.Find(token, aws.Deref(args.SecurityGroupRuleId))
		if rec == nil {
			continue
		}
		s := rec.State
		return &vpc.GetSecurityGroupRuleResult{Id: rec.ID, SecurityGroupRuleId: rec.ID, Arn: s.String("arn"),
			SecurityGroupId: s.String("securityGroupId"), IsEgress: token == awstype.SecurityGroupEgressRule, CidrIpv4: s.String("cidrIpv4"),
			CidrIpv6: s.String("cidrIpv6"), PrefixListId: s.String("prefixListId"), IpProtocol: s.String("ipProtocol"),
			ReferencedSecurityGroupId: s.String("referencedSecurityGroupId"), Description: s.String("description"),
			FromPort: int(s.Number("fromPort")), ToPort: int(s.Number("toPort")), Tags: aws.TagsOf(s)}, nil
	}
	return nil, errors.New("no matching Security Group Rule found")
}

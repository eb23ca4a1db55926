package orphan

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// findRule finds a rule in its security group, which has each rule once, whatever its tags and description.
func findRule(ctx context.Context, client *ec2.Client, trace Trace) ([]string, error) {
	pages := ec2.NewDescribeSecurityGroupRulesPaginator(client, &ec2.DescribeSecurityGroupRulesInput{Filters: []ec2types.Filter{
		{Name: aws.String("group-id"), Values: []string{trace.Text("securityGroupId")}},
	}})
	var ids []string
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing the rules of %s: %w", trace.Text("securityGroupId"), err)
		}
		for _, rule := range page.SecurityGroupRules {
			if isRule(rule, trace) {
				ids = append(ids, aws.ToString(rule.SecurityGroupRuleId))
			}
		}
	}
	return ids, nil
}

func isRule(rule ec2types.SecurityGroupRule, trace Trace) bool {
	group := ""
	if rule.ReferencedGroupInfo != nil {
		group = aws.ToString(rule.ReferencedGroupInfo.GroupId)
	}
	for input, value := range map[string]string{
		"ipProtocol": aws.ToString(rule.IpProtocol), "cidrIpv4": aws.ToString(rule.CidrIpv4), "cidrIpv6": aws.ToString(rule.CidrIpv6),
		"prefixListId": aws.ToString(rule.PrefixListId), "referencedSecurityGroupId": group,
	} {
		if trace.Text(input) != value {
			return false
		}
	}
	return aws.ToBool(rule.IsEgress) == (trace.Type == egressRule) &&
		isPort(rule.FromPort, trace.Inputs["fromPort"]) && isPort(rule.ToPort, trace.Inputs["toPort"])
}

// isPort is whether a port is the one that was asked for. For all protocols together EC2 says -1 where none was.
func isPort(port *int32, asked any) bool {
	number, ok := asked.(float64)
	if !ok {
		return port == nil || *port == -1
	}
	return port != nil && float64(*port) == number
}

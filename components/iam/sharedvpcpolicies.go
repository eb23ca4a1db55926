package iam

import (
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// sharedRoute53Policy returns the policy for the records in the private zones of a shared VPC.
func sharedRoute53Policy(zoneARNs []string) policy.Document {
	return policy.New(
		policy.Allows([]string{
			"route53:GetAccountLimit",
			"route53:GetChange",
			"route53:ListHostedZones",
			"route53:ListHostedZonesByName",
			"tag:GetResources",
		}, everything),
		policy.Allows([]string{
			"route53:ChangeResourceRecordSets",
			"route53:GetHostedZone",
			"route53:ListResourceRecordSets",
			"route53:ListTagsForResource",
		}, zoneARNs...),
	)
}

// sharedEndpointPolicy returns the policy for the endpoint to the control plane in a shared VPC, with its security group.
func sharedEndpointPolicy(s scope, vpcID string) policy.Document {
	in := func(resource string) string {
		return s.ARN("ec2", resource)
	}
	return policy.New(
		policy.Allows([]string{
			"ec2:DescribeSecurityGroups",
			"ec2:DescribeSubnets",
			"ec2:DescribeVpcEndpoints",
			"ec2:DescribeVpcs",
		}, everything),
		policy.Allows([]string{
			"ec2:AuthorizeSecurityGroupEgress",
			"ec2:AuthorizeSecurityGroupIngress",
			"ec2:CreateSecurityGroup",
			"ec2:CreateTags",
			"ec2:CreateVpcEndpoint",
			"ec2:DeleteSecurityGroup",
			"ec2:DeleteVpcEndpoints",
			"ec2:ModifyVpcEndpoint",
			"ec2:RevokeSecurityGroupEgress",
			"ec2:RevokeSecurityGroupIngress",
		}, in("vpc/"+vpcID), in("subnet/*"), in("security-group/*"), in("security-group-rule/*"), in("vpc-endpoint/*")),
	)
}

// assumeRolesPolicy allows components to assume further roles.
func assumeRolesPolicy(arns []string) policy.Document {
	return policy.New(policy.Allows([]string{"sts:AssumeRole"}, arns...))
}

package iam

import (
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// limitedControlPlaneOperatorPolicy returns controlPlaneOperatorPolicy limited to one VPC: the operator can create endpoints and security
// groups only there and with the owner's tag, and change only those. It always sets HyperShift's resource tags, which include the owner's
// tag. Source of the limits: "Actions, resources, and condition keys for Amazon EC2" in the service authorization reference.
func limitedControlPlaneOperatorPolicy(s scope) policy.Document {
	arn := func(account, kind, id string) string {
		return s.In(account).ARN("ec2", kind+"/"+id)
	}
	// The ARNs of a shared VPC and its subnets contain their owner's account, also in conditions; those of the operator's resources contain
	// the operator's account. Source: "Share your VPC subnets with other accounts" in the VPC user guide.
	vpc, subnets := s.vpcARN(), arn(s.vpcOwner(), "subnet", "*")
	endpoints, groups := arn(s.Account, "vpc-endpoint", "*"), arn(s.Account, "security-group", "*")
	tag := s.clusterTag()
	document := policy.New(
		// None of these can be limited to a resource.
		policy.Allows([]string{
			"ec2:DescribeVpcEndpoints",
			"ec2:DescribeSecurityGroups",
			"ec2:DescribeVpcs",
			"ec2:DescribeSubnets",
			"route53:ListHostedZones",
		}, everything),
		policy.Allows([]string{"ec2:CreateVpcEndpoint", "ec2:CreateSecurityGroup"}, vpc),
		policy.Allows([]string{"ec2:CreateVpcEndpoint"}, endpoints).When("StringEquals", "aws:RequestTag/"+tag, "owned"),
		policy.Allows([]string{"ec2:CreateSecurityGroup"}, groups).When("StringEquals", "aws:RequestTag/"+tag, "owned"),
		policy.Allows([]string{"ec2:CreateVpcEndpoint", "ec2:ModifyVpcEndpoint"}, subnets, groups).When("ArnEquals", "ec2:Vpc", vpc),
		policy.Allows([]string{"ec2:ModifyVpcEndpoint", "ec2:DeleteVpcEndpoints"}, endpoints).When("StringEquals", "aws:ResourceTag/"+tag, "owned"),
		policy.Allows([]string{
			"ec2:AuthorizeSecurityGroupIngress",
			"ec2:AuthorizeSecurityGroupEgress",
			"ec2:RevokeSecurityGroupIngress",
			"ec2:RevokeSecurityGroupEgress",
			"ec2:DeleteSecurityGroup",
		}, groups).When("ArnEquals", "ec2:Vpc", vpc),
		policy.Allows([]string{"ec2:CreateTags"}, endpoints, groups).When("StringEquals", "ec2:CreateAction", "CreateVpcEndpoint", "CreateSecurityGroup"),
		// Changes of the resource tags, on the default security group.
		policy.Allows([]string{"ec2:CreateTags"}, groups).When("StringEquals", "aws:ResourceTag/"+tag, "owned"),
	)
	if s.localZoneARN != "" {
		document.Statement = append(document.Statement, localZoneStatement(s))
	}
	return document
}

// localZoneStatement allows the operator to write the records for PrivateLink.
func localZoneStatement(s scope) policy.Statement {
	return policy.Allows([]string{
		"route53:ChangeResourceRecordSets",
		"route53:ListResourceRecordSets",
	}, s.localZoneARN)
}

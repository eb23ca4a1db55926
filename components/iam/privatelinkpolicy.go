package iam

import "fmt"

// heldControlPlaneOperatorPolicy is controlPlaneOperatorPolicy for one VPC: the operator makes endpoints and security
// groups there alone, with the tag that says whose they are, and changes those alone. Its tags are HyperShift's resource
// tags, which have that one always. Source of what can be limited by what: "Actions, resources, and condition keys for
// Amazon EC2" in the service authorization reference.
func heldControlPlaneOperatorPolicy(s scope) Document {
	arn := func(kind, id string) string {
		return fmt.Sprintf("arn:%s:ec2:%s:%s:%s/%s", s.partition, s.region, s.account, kind, id)
	}
	vpc, endpoints, groups, subnets := arn("vpc", s.vpcID), arn("vpc-endpoint", "*"), arn("security-group", "*"), arn("subnet", "*")
	owner := "kubernetes.io/cluster/" + s.infraID
	document := NewDocument(
		// None of these can be limited to a resource.
		allow([]string{
			"ec2:DescribeVpcEndpoints",
			"ec2:DescribeSecurityGroups",
			"ec2:DescribeVpcs",
			"ec2:DescribeSubnets",
			"route53:ListHostedZones",
		}, everything),
		allow([]string{"ec2:CreateVpcEndpoint", "ec2:CreateSecurityGroup"}, vpc),
		allow([]string{"ec2:CreateVpcEndpoint"}, endpoints).on("StringEquals", "aws:RequestTag/"+owner, "owned"),
		allow([]string{"ec2:CreateSecurityGroup"}, groups).on("StringEquals", "aws:RequestTag/"+owner, "owned"),
		allow([]string{"ec2:CreateVpcEndpoint", "ec2:ModifyVpcEndpoint"}, subnets, groups).on("ArnEquals", "ec2:Vpc", vpc),
		allow([]string{"ec2:ModifyVpcEndpoint", "ec2:DeleteVpcEndpoints"}, endpoints).on("StringEquals", "aws:ResourceTag/"+owner, "owned"),
		allow([]string{
			"ec2:AuthorizeSecurityGroupIngress",
			"ec2:AuthorizeSecurityGroupEgress",
			"ec2:RevokeSecurityGroupIngress",
			"ec2:RevokeSecurityGroupEgress",
			"ec2:DeleteSecurityGroup",
		}, groups).on("ArnEquals", "ec2:Vpc", vpc),
		allow([]string{"ec2:CreateTags"}, endpoints, groups).on("StringEquals", "ec2:CreateAction", "CreateVpcEndpoint", "CreateSecurityGroup"),
	)
	if s.localZoneARN != "" {
		document.Statement = append(document.Statement, localZoneStatement(s))
	}
	return document
}

// localZoneStatement lets the operator keep the names on PrivateLink.
func localZoneStatement(s scope) Statement {
	return allow([]string{
		"route53:ChangeResourceRecordSets",
		"route53:ListResourceRecordSets",
	}, s.localZoneARN)
}

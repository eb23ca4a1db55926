package iam

import (
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// The policies are those that HyperShift's CLI attaches, action for action (source: HyperShift,
// cmd/infra/aws/iam_policies.go), but narrower where the scope allows it.

// everything is the resource of actions that cannot be limited further, or whose resources are named only while the
// cluster runs: volumes, instances, load balancers.
const everything = "*"

func ingressPolicy(s scope) policy.Document {
	return policy.New(
		policy.Allows([]string{
			"elasticloadbalancing:DescribeLoadBalancers",
			"tag:GetResources",
			"route53:ListHostedZones",
		}, everything),
		ingressRecords(s),
	)
}

// ingressBeyondManagedPolicy returns the permissions that ROSA's managed policy lacks, because it is limited to Red
// Hat's domains.
func ingressBeyondManagedPolicy(s scope) policy.Document { return policy.New(ingressRecords(s)) }

func ingressRecords(s scope) policy.Statement {
	return policy.Allows([]string{
		"route53:ChangeResourceRecordSets",
	}, s.ingressZoneARNs...)
}

func imageRegistryPolicy(scope) policy.Document {
	return policy.New(policy.Allows([]string{
		"s3:CreateBucket",
		"s3:DeleteBucket",
		"s3:PutBucketTagging",
		"s3:GetBucketTagging",
		"s3:PutBucketPublicAccessBlock",
		"s3:GetBucketPublicAccessBlock",
		"s3:PutEncryptionConfiguration",
		"s3:GetEncryptionConfiguration",
		"s3:PutLifecycleConfiguration",
		"s3:GetLifecycleConfiguration",
		"s3:GetBucketLocation",
		"s3:ListBucket",
		"s3:GetObject",
		"s3:PutObject",
		"s3:DeleteObject",
		"s3:ListBucketMultipartUploads",
		"s3:AbortMultipartUpload",
		"s3:ListMultipartUploadParts",
	}, everything))
}

func storagePolicy(scope) policy.Document {
	return policy.New(
		policy.Allows([]string{
			"ec2:AttachVolume",
			"ec2:CreateSnapshot",
			"ec2:CreateTags",
			"ec2:CreateVolume",
			"ec2:DeleteSnapshot",
			"ec2:DeleteTags",
			"ec2:DeleteVolume",
			"ec2:DescribeInstances",
			"ec2:DescribeSnapshots",
			"ec2:DescribeTags",
			"ec2:DescribeVolumes",
			"ec2:DescribeVolumesModifications",
			"ec2:DetachVolume",
			"ec2:ModifyVolume",
			"ec2:DescribeAvailabilityZones",
			"ec2:EnableFastSnapshotRestores",
			"ec2:DescribeInstanceTypes",
			"ec2:DescribeVolumeStatus",
			"ec2:CopyVolumes",
			"ec2:LockSnapshot",
		}, everything),
		policy.Allows([]string{
			"kms:Decrypt",
			"kms:Encrypt",
			"kms:GenerateDataKey",
			"kms:GenerateDataKeyWithoutPlainText",
			"kms:DescribeKey",
		}, everything),
		policy.Allows([]string{
			"kms:RevokeGrant",
			"kms:CreateGrant",
			"kms:ListGrants",
		}, everything).When("Bool", "kms:GrantIsForAWSResource", "true"),
	)
}

func kubeCloudControllerPolicy(scope) policy.Document {
	return policy.New(policy.Allows([]string{
		"autoscaling:DescribeAutoScalingGroups",
		"autoscaling:DescribeLaunchConfigurations",
		"autoscaling:DescribeTags",
		"ec2:DescribeAvailabilityZones",
		"ec2:DescribeInstances",
		"ec2:DescribeImages",
		"ec2:DescribeRegions",
		"ec2:DescribeRouteTables",
		"ec2:DescribeSecurityGroups",
		"ec2:DescribeSubnets",
		"ec2:DescribeVolumes",
		"ec2:CreateSecurityGroup",
		"ec2:CreateTags",
		"ec2:CreateVolume",
		"ec2:ModifyInstanceAttribute",
		"ec2:ModifyVolume",
		"ec2:AttachVolume",
		"ec2:AuthorizeSecurityGroupIngress",
		"ec2:CreateRoute",
		"ec2:DeleteRoute",
		"ec2:DeleteSecurityGroup",
		"ec2:DeleteVolume",
		"ec2:DetachVolume",
		"ec2:RevokeSecurityGroupIngress",
		"ec2:DescribeVpcs",
		"elasticloadbalancing:AddTags",
		"elasticloadbalancing:AttachLoadBalancerToSubnets",
		"elasticloadbalancing:ApplySecurityGroupsToLoadBalancer",
		"elasticloadbalancing:CreateLoadBalancer",
		"elasticloadbalancing:CreateLoadBalancerPolicy",
		"elasticloadbalancing:CreateLoadBalancerListeners",
		"elasticloadbalancing:ConfigureHealthCheck",
		"elasticloadbalancing:DeleteLoadBalancer",
		"elasticloadbalancing:DeleteLoadBalancerListeners",
		"elasticloadbalancing:DescribeLoadBalancers",
		"elasticloadbalancing:DescribeLoadBalancerAttributes",
		"elasticloadbalancing:DetachLoadBalancerFromSubnets",
		"elasticloadbalancing:DeregisterInstancesFromLoadBalancer",
		"elasticloadbalancing:ModifyLoadBalancerAttributes",
		"elasticloadbalancing:ModifyTargetGroupAttributes",
		"elasticloadbalancing:RegisterInstancesWithLoadBalancer",
		"elasticloadbalancing:SetLoadBalancerPoliciesForBackendServer",
		"elasticloadbalancing:CreateListener",
		"elasticloadbalancing:CreateTargetGroup",
		"elasticloadbalancing:DeleteListener",
		"elasticloadbalancing:DeleteTargetGroup",
		"elasticloadbalancing:DeregisterTargets",
		"elasticloadbalancing:DescribeListeners",
		"elasticloadbalancing:DescribeLoadBalancerPolicies",
		"elasticloadbalancing:DescribeTargetGroups",
		"elasticloadbalancing:DescribeTargetGroupAttributes",
		"elasticloadbalancing:DescribeTargetHealth",
		"elasticloadbalancing:ModifyListener",
		"elasticloadbalancing:ModifyTargetGroup",
		"elasticloadbalancing:RegisterTargets",
		"elasticloadbalancing:SetLoadBalancerPoliciesOfListener",
		"elasticloadbalancing:SetSecurityGroups",
		"iam:CreateServiceLinkedRole",
		"kms:DescribeKey",
	}, everything))
}

// kubeCloudControllerBeyondManagedPolicy returns the permissions that ROSA's managed policy lacks so far. Source:
// HyperShift, cmd/infra/aws/iam.go.
func kubeCloudControllerBeyondManagedPolicy(scope) policy.Document {
	return policy.New(policy.Allows([]string{
		"elasticloadbalancing:SetSecurityGroups",
	}, everything))
}

func nodePoolManagementPolicy(s scope) policy.Document {
	loadBalancing := "elasticloadbalancing.amazonaws.com"
	loadBalancingRole := s.GlobalARN("iam",
		"role/aws-service-role/"+loadBalancing+"/AWSServiceRoleForElasticLoadBalancing")
	document := policy.New(
		policy.Allows([]string{
			"ec2:AssociateRouteTable",
			"ec2:AttachInternetGateway",
			"ec2:AuthorizeSecurityGroupIngress",
			"ec2:CreateInternetGateway",
			"ec2:CreateNatGateway",
			"ec2:CreateRoute",
			"ec2:CreateRouteTable",
			"ec2:CreateSecurityGroup",
			"ec2:CreateSubnet",
			"ec2:CreateTags",
			"ec2:DeleteInternetGateway",
			"ec2:DeleteNatGateway",
			"ec2:DeleteRouteTable",
			"ec2:DeleteSecurityGroup",
			"ec2:DeleteSubnet",
			"ec2:DeleteTags",
			"ec2:DescribeAccountAttributes",
			"ec2:DescribeAddresses",
			"ec2:DescribeAvailabilityZones",
			"ec2:DescribeImages",
			"ec2:DescribeInstances",
			"ec2:DescribeInstanceTypes",
			"ec2:DescribeInternetGateways",
			"ec2:DescribeNatGateways",
			"ec2:DescribeNetworkInterfaces",
			"ec2:DescribeNetworkInterfaceAttribute",
			"ec2:DescribeRouteTables",
			"ec2:DescribeSecurityGroups",
			"ec2:DescribeSubnets",
			"ec2:DescribeVpcs",
			"ec2:DescribeDhcpOptions",
			"ec2:DescribeVpcAttribute",
			"ec2:DescribeVolumes",
			"ec2:DetachInternetGateway",
			"ec2:DisassociateRouteTable",
			"ec2:DisassociateAddress",
			"ec2:ModifyInstanceAttribute",
			"ec2:ModifyNetworkInterfaceAttribute",
			"ec2:ModifySubnetAttribute",
			"ec2:RevokeSecurityGroupIngress",
			"ec2:RunInstances",
			"ec2:TerminateInstances",
			"tag:GetResources",
			"ec2:CreateLaunchTemplate",
			"ec2:CreateLaunchTemplateVersion",
			"ec2:DescribeLaunchTemplates",
			"ec2:DescribeLaunchTemplateVersions",
			"ec2:DeleteLaunchTemplate",
			"ec2:DeleteLaunchTemplateVersions",
			"sqs:DeleteMessage",
			"sqs:ReceiveMessage",
		}, everything),
		policy.Allows([]string{
			"iam:CreateServiceLinkedRole",
		}, loadBalancingRole).When("StringLike", "iam:AWSServiceName", loadBalancing),
		policy.Allows([]string{
			"iam:PassRole",
		}, s.workerRoleARN),
		policy.Allows([]string{
			"kms:Decrypt",
			"kms:ReEncrypt",
			"kms:GenerateDataKeyWithoutPlainText",
			"kms:DescribeKey",
		}, everything),
		policy.Allows([]string{
			"kms:CreateGrant",
		}, everything).When("Bool", "kms:GrantIsForAWSResource", "true"),
	)
	if s.queueARN != "" {
		isQueue := func(action string) bool { return strings.HasPrefix(action, "sqs:") }
		all := &document.Statement[0]
		all.Action = slices.DeleteFunc(all.Action, isQueue)
		document.Statement = append(document.Statement, policy.Allows([]string{
			"sqs:DeleteMessage",
			"sqs:ReceiveMessage",
		}, s.queueARN))
	}
	return document
}

func controlPlaneOperatorPolicy(s scope) policy.Document {
	if s.vpcID != "" {
		return limitedControlPlaneOperatorPolicy(s)
	}
	document := policy.New(policy.Allows([]string{
		"ec2:CreateVpcEndpoint",
		"ec2:DescribeVpcEndpoints",
		"ec2:ModifyVpcEndpoint",
		"ec2:DeleteVpcEndpoints",
		"ec2:CreateTags",
		"route53:ListHostedZones",
		"ec2:CreateSecurityGroup",
		"ec2:AuthorizeSecurityGroupIngress",
		"ec2:AuthorizeSecurityGroupEgress",
		"ec2:DeleteSecurityGroup",
		"ec2:RevokeSecurityGroupIngress",
		"ec2:RevokeSecurityGroupEgress",
		"ec2:DescribeSecurityGroups",
		"ec2:DescribeVpcs",
		"ec2:DescribeSubnets",
	}, everything))
	if s.localZoneARN != "" {
		document.Statement = append(document.Statement, localZoneStatement(s))
	}
	return document
}

func networkPolicy(scope) policy.Document {
	return policy.New(policy.Allows([]string{
		"ec2:DescribeInstances",
		"ec2:DescribeInstanceStatus",
		"ec2:DescribeInstanceTypes",
		"ec2:UnassignPrivateIpAddresses",
		"ec2:AssignPrivateIpAddresses",
		"ec2:UnassignIpv6Addresses",
		"ec2:AssignIpv6Addresses",
		"ec2:DescribeSubnets",
		"ec2:DescribeNetworkInterfaces",
	}, everything))
}

func kmsProviderPolicy(s scope) policy.Document {
	return policy.New(policy.Allows([]string{
		"kms:Encrypt",
		"kms:Decrypt",
		"kms:ReEncrypt*",
		"kms:GenerateDataKey*",
		"kms:DescribeKey",
	}, append([]string{s.kmsKeyARN}, s.formerKMSKeyARNs...)...))
}

func workerPolicy() policy.Document {
	return policy.New(policy.Allows([]string{
		"ec2:DescribeInstances",
		"ec2:DescribeRegions",
	}, everything))
}

// limitedControlPlaneOperatorPolicy returns controlPlaneOperatorPolicy limited to one VPC: the operator can create
// endpoints and security groups only there and with the owner's tag, and change only those. It always sets HyperShift's
// resource tags, which include the owner's tag. Source of the limits: "Actions, resources, and condition keys for
// Amazon EC2" in the service authorization reference.
func limitedControlPlaneOperatorPolicy(s scope) policy.Document {
	arn := func(account, kind, id string) string {
		return s.In(account).ARN("ec2", kind+"/"+id)
	}
	// The ARNs of a shared VPC and its subnets contain their owner's account, also in conditions. The ARNs of the
	// operator's resources contain the operator's account. Source: "Share your VPC subnets with other accounts" in the VPC
	// user guide.
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
		policy.Allows([]string{"ec2:CreateVpcEndpoint", "ec2:ModifyVpcEndpoint"}, subnets,
			groups).When("ArnEquals", "ec2:Vpc", vpc),
		policy.Allows([]string{"ec2:ModifyVpcEndpoint", "ec2:DeleteVpcEndpoints"},
			endpoints).When("StringEquals", "aws:ResourceTag/"+tag, "owned"),
		policy.Allows([]string{
			"ec2:AuthorizeSecurityGroupIngress",
			"ec2:AuthorizeSecurityGroupEgress",
			"ec2:RevokeSecurityGroupIngress",
			"ec2:RevokeSecurityGroupEgress",
			"ec2:DeleteSecurityGroup",
		}, groups).When("ArnEquals", "ec2:Vpc", vpc),
		policy.Allows([]string{"ec2:CreateTags"}, endpoints,
			groups).When("StringEquals", "ec2:CreateAction", "CreateVpcEndpoint", "CreateSecurityGroup"),
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

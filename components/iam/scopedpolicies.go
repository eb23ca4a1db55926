package iam

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// The policies of RoleOptions.Scoped: the permissions that the operators need, without those that no call of theirs
// needs, on the resources of one cluster. The operators tag what they create with the cluster's tag in the same call.
// Sources: the calls in calls.json, and "Actions, resources, and condition keys" of each service in the service
// authorization reference.

// clusterTag returns the key of the tag that all resources of the cluster have.
func (s scope) clusterTag() string { return hypershift.ClusterTagPrefix + s.infraID }

// owned limits a statement to resources with the cluster's tag.
func (s scope) owned(statement policy.Statement) policy.Statement {
	return statement.When("StringEquals", "aws:ResourceTag/"+s.clusterTag(), "owned")
}

// tagging limits a statement to requests that set the cluster's tag.
func (s scope) tagging(statement policy.Statement) policy.Statement {
	return statement.When("StringEquals", "aws:RequestTag/"+s.clusterTag(), "owned")
}

// inVPC limits a statement to resources in the cluster's VPC.
func (s scope) inVPC(statement policy.Statement) policy.Statement {
	return statement.When("ArnEquals", "ec2:Vpc", s.vpcARN())
}

// vpcOwner returns the account of the VPC, its subnets and its network interfaces.
func (s scope) vpcOwner() string {
	if s.vpcAccount != "" {
		return s.vpcAccount
	}
	return s.Account
}

func (s scope) vpcARN() string { return s.In(s.vpcOwner()).ARN("ec2", "vpc/"+s.vpcID) }

// tagsOf allows to tag new resources in the call that creates them, and to change the tags of the cluster's.
func (s scope) tagsOf(resources []string, creations ...string) []policy.Statement {
	return []policy.Statement{
		policy.Allows([]string{"ec2:CreateTags"}, resources...).When("StringEquals", "ec2:CreateAction", creations...),
		s.owned(policy.Allows([]string{"ec2:CreateTags", "ec2:DeleteTags"}, resources...)),
	}
}

func scopedImageRegistryPolicy(s scope) policy.Document {
	bucket := "arn:" + s.Partition + ":s3:::" + s.infraID + "-image-registry-*"
	return policy.New(
		policy.Allows([]string{
			"s3:CreateBucket",
			"s3:DeleteBucket",
			"s3:PutBucketTagging",
			"s3:GetBucketTagging",
			"s3:PutBucketPublicAccessBlock",
			"s3:PutEncryptionConfiguration",
			"s3:PutLifecycleConfiguration",
			"s3:GetBucketLocation",
			"s3:ListBucket",
			"s3:ListBucketMultipartUploads",
		}, bucket),
		policy.Allows([]string{
			"s3:GetObject",
			"s3:PutObject",
			"s3:DeleteObject",
			"s3:AbortMultipartUpload",
			"s3:ListMultipartUploadParts",
		}, bucket+"/*"),
	)
}

func scopedStoragePolicy(s scope) policy.Document {
	volumes, snapshots := s.ec2("volume"), slices.Concat(s.ec2("snapshot"), s.ec2Of("", "snapshot"))
	document := policy.New(
		policy.Allows([]string{
			"ec2:DescribeAvailabilityZones",
			"ec2:DescribeInstances",
			"ec2:DescribeInstanceTypes",
			"ec2:DescribeSnapshots",
			"ec2:DescribeVolumes",
			"ec2:DescribeVolumesModifications",
			"ec2:DescribeVolumeStatus",
		}, everything),
		s.tagging(policy.Allows([]string{"ec2:CreateVolume", "ec2:CopyVolumes"}, volumes...)),
		policy.Allows([]string{"ec2:CreateVolume"}, snapshots...), // a volume's contents may be any snapshot
		s.owned(policy.Allows([]string{"ec2:CopyVolumes", "ec2:CreateSnapshot", "ec2:DeleteVolume", "ec2:ModifyVolume"},
			volumes...)),
		s.tagging(policy.Allows([]string{"ec2:CreateSnapshot"}, snapshots...)),
		s.owned(policy.Allows([]string{"ec2:DeleteSnapshot", "ec2:LockSnapshot", "ec2:EnableFastSnapshotRestores"},
			snapshots...)),
		s.owned(policy.Allows([]string{"ec2:AttachVolume", "ec2:DetachVolume"}, s.ec2("volume", "instance")...)),
	)
	document.Statement = append(document.Statement,
		s.tagsOf(slices.Concat(volumes, snapshots), "CreateVolume", "CopyVolumes", "CreateSnapshot")...)
	document.Statement = append(document.Statement, s.volumeKeys()...)
	return document
}

// volumeKeys allows EC2 to use the keys of encrypted volumes for the caller. Storage classes and node pools name them.
func (s scope) volumeKeys() []policy.Statement {
	return []policy.Statement{
		policy.Allows([]string{
			"kms:Decrypt",
			"kms:ReEncrypt*",
			"kms:GenerateDataKeyWithoutPlaintext",
			"kms:DescribeKey",
		}, everything).When("StringLike", "kms:ViaService", "ec2."+s.Region+".amazonaws.com*"),
		policy.Allows([]string{"kms:CreateGrant"}, everything).When("Bool", "kms:GrantIsForAWSResource", "true"),
	}
}

func scopedCloudControllerPolicy(s scope) policy.Document {
	groups := s.ec2("security-group")
	balancing := func(kinds ...string) []string {
		arns := make([]string, len(kinds))
		for i, kind := range kinds {
			arns[i] = s.ARN("elasticloadbalancing", kind+"/*")
		}
		return arns
	}
	loadBalancing := "elasticloadbalancing.amazonaws.com"
	return policy.New(
		policy.Allows([]string{
			"ec2:DescribeAvailabilityZones",
			"ec2:DescribeInstances",
			"ec2:DescribeInstanceTopology",
			"ec2:DescribeRouteTables",
			"ec2:DescribeSecurityGroups",
			"ec2:DescribeSubnets",
			"ec2:DescribeVpcs",
			"elasticloadbalancing:DescribeListeners",
			"elasticloadbalancing:DescribeLoadBalancerAttributes",
			"elasticloadbalancing:DescribeLoadBalancerPolicies",
			"elasticloadbalancing:DescribeLoadBalancers",
			"elasticloadbalancing:DescribeTargetGroupAttributes",
			"elasticloadbalancing:DescribeTargetGroups",
			"elasticloadbalancing:DescribeTargetHealth",
		}, everything),
		policy.Allows([]string{"ec2:CreateSecurityGroup"}, s.vpcARN()),
		s.tagging(policy.Allows([]string{"ec2:CreateSecurityGroup"}, groups...)),
		// The groups of nodes have the tag too: "shared" where they existed before the cluster.
		policy.Allows([]string{"ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress"}, groups...).
			When("StringEquals", "aws:ResourceTag/"+s.clusterTag(), "owned", "shared"),
		s.owned(policy.Allows([]string{"ec2:DeleteSecurityGroup"}, groups...)),
		s.tagging(policy.Allows([]string{"elasticloadbalancing:CreateLoadBalancer"}, balancing("loadbalancer")...)),
		s.tagging(policy.Allows([]string{"elasticloadbalancing:CreateTargetGroup"}, balancing("targetgroup")...)),
		s.owned(policy.Allows([]string{
			"elasticloadbalancing:AddTags",
			"elasticloadbalancing:ApplySecurityGroupsToLoadBalancer",
			"elasticloadbalancing:AttachLoadBalancerToSubnets",
			"elasticloadbalancing:ConfigureHealthCheck",
			"elasticloadbalancing:CreateListener",
			"elasticloadbalancing:CreateLoadBalancerListeners",
			"elasticloadbalancing:CreateLoadBalancerPolicy",
			"elasticloadbalancing:DeleteLoadBalancer",
			"elasticloadbalancing:DeleteLoadBalancerListeners",
			"elasticloadbalancing:DeregisterInstancesFromLoadBalancer",
			"elasticloadbalancing:DetachLoadBalancerFromSubnets",
			"elasticloadbalancing:ModifyLoadBalancerAttributes",
			"elasticloadbalancing:RegisterInstancesWithLoadBalancer",
			"elasticloadbalancing:SetLoadBalancerPoliciesForBackendServer",
			"elasticloadbalancing:SetLoadBalancerPoliciesOfListener",
			"elasticloadbalancing:SetSecurityGroups",
		}, balancing("loadbalancer")...)),
		s.owned(policy.Allows([]string{
			"elasticloadbalancing:DeleteTargetGroup",
			"elasticloadbalancing:DeregisterTargets",
			"elasticloadbalancing:ModifyTargetGroup",
			"elasticloadbalancing:ModifyTargetGroupAttributes",
			"elasticloadbalancing:RegisterTargets",
		}, balancing("targetgroup")...)),
		s.owned(policy.Allows([]string{"elasticloadbalancing:DeleteListener", "elasticloadbalancing:ModifyListener"},
			balancing("listener")...)),
		policy.Allows([]string{"elasticloadbalancing:AddTags"}, balancing("loadbalancer", "targetgroup", "listener")...).
			When("StringEquals", "elasticloadbalancing:CreateAction", "CreateLoadBalancer", "CreateTargetGroup",
				"CreateListener"),
		policy.Allows([]string{"ec2:CreateTags"}, groups...).When("StringEquals", "ec2:CreateAction", "CreateSecurityGroup"),
		s.owned(policy.Allows([]string{"ec2:CreateTags"}, groups...)),
		policy.Allows([]string{"iam:CreateServiceLinkedRole"},
			s.GlobalARN("iam", "role/aws-service-role/"+loadBalancing+"/AWSServiceRoleForElasticLoadBalancing")).
			When("StringLike", "iam:AWSServiceName", loadBalancing),
	)
}

func scopedNodePoolPolicy(s scope) policy.Document {
	created := s.ec2("instance", "volume", "network-interface")
	queue := s.queueARN
	if queue == "" {
		queue = everything
	}
	shared := func(kinds ...string) []string { return s.ec2Of(s.vpcOwner(), kinds...) }
	document := policy.New(
		policy.Allows([]string{
			"ec2:DescribeDhcpOptions",
			"ec2:DescribeImages",
			"ec2:DescribeInstances",
			"ec2:DescribeInstanceTypes",
			"ec2:DescribeNetworkInterfaces",
			"ec2:DescribeNetworkInterfaceAttribute",
			"ec2:DescribeSecurityGroups",
			"ec2:DescribeSubnets",
			"ec2:DescribeVpcs",
		}, everything),
		policy.Allows([]string{"ec2:RunInstances"},
			slices.Concat(s.ec2Of("", "image", "snapshot"), s.ec2("key-pair", "placement-group", "capacity-reservation"))...),
		s.inVPC(policy.Allows([]string{"ec2:RunInstances"},
			slices.Concat(shared("subnet"), slices.Compact(slices.Concat(s.ec2("security-group"),
				shared("security-group"))))...)),
		s.tagging(policy.Allows([]string{"ec2:RunInstances"}, created...)),
		s.owned(policy.Allows([]string{"ec2:ModifyInstanceMetadataOptions", "ec2:TerminateInstances"}, s.ec2("instance")...)),
		s.inVPC(policy.Allows([]string{"ec2:ModifyNetworkInterfaceAttribute"},
			slices.Compact(slices.Concat(s.ec2("network-interface", "security-group"),
				shared("network-interface", "security-group")))...)),
		policy.Allows([]string{"sqs:DeleteMessage", "sqs:ReceiveMessage"}, queue),
		policy.Allows([]string{"iam:PassRole"},
			s.workerRoleARN).When("StringEquals", "iam:PassedToService", ec2Principals()...),
	)
	document.Statement = append(document.Statement, s.tagsOf(created, "RunInstances")...)
	document.Statement = append(document.Statement, s.volumeKeys()...)
	return document
}

func scopedNetworkPolicy(s scope) policy.Document {
	interfaces := s.ec2("network-interface")
	return policy.New(
		policy.Allows([]string{
			"ec2:DescribeInstances",
			"ec2:DescribeInstanceTypes",
			"ec2:DescribeSubnets",
		}, everything),
		s.inVPC(policy.Allows([]string{
			"ec2:AssignIpv6Addresses",
			"ec2:AssignPrivateIpAddresses",
			"ec2:UnassignIpv6Addresses",
			"ec2:UnassignPrivateIpAddresses",
		}, interfaces...)),
	)
}

// scopedControlPlaneOperatorPolicy also lets the operator remove tags from the default security group, as it does when
// they are removed from the resource tags of a HostedCluster. HyperShift's own policy lacks that.
func scopedControlPlaneOperatorPolicy(s scope) policy.Document {
	document := limitedControlPlaneOperatorPolicy(s)
	document.Statement = append(document.Statement,
		s.owned(policy.Allows([]string{"ec2:DeleteTags"}, s.ec2("security-group")...)))
	return document
}

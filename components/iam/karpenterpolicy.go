package iam

import (
	"cmp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// The tags that Karpenter sets on its resources. A permission that requires one of them does not apply to resources of
// others.
const (
	karpenterNodePool  = "karpenter.sh/nodepool"
	karpenterNodeClass = "karpenter.k8s.aws/ec2nodeclass"
)

// karpenterPolicy allows Karpenter to run instances with the nodes' role. Source: HyperShift, cmd/infra/aws/iam.go,
// which does not limit partition, region, account and the passed role.
func karpenterPolicy(s scope) policy.Document {
	profiles := s.GlobalARN("iam", "instance-profile/*")
	made := s.ec2("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
	return policy.New(
		policy.Allows([]string{
			"ec2:RunInstances",
			"ec2:CreateFleet",
		}, slices.Concat(s.ec2Of("", "image", "snapshot"), s.ec2Of(everything, "security-group", "subnet"))...),
		policy.Allows([]string{
			"ec2:RunInstances",
			"ec2:CreateFleet",
		}, s.ec2("launch-template")...),
		policy.Allows([]string{
			"ec2:RunInstances",
			"ec2:CreateFleet",
			"ec2:CreateLaunchTemplate",
		}, made...).When("StringLike", "aws:RequestTag/"+karpenterNodePool, everything),
		policy.Allows([]string{
			"ec2:CreateTags",
		}, made...).
			When("StringEquals", "ec2:CreateAction", "RunInstances", "CreateFleet", "CreateLaunchTemplate").
			When("StringLike", "aws:RequestTag/"+karpenterNodePool, everything),
		policy.Allows([]string{
			"ec2:CreateTags",
		}, s.ec2("instance")...).When("StringLike", "aws:ResourceTag/"+karpenterNodePool, everything),
		policy.Allows([]string{
			"ec2:TerminateInstances",
			"ec2:DeleteLaunchTemplate",
		}, s.ec2("instance", "launch-template")...).When("StringLike", "aws:ResourceTag/"+karpenterNodePool, everything),
		policy.Allows([]string{
			"ec2:DescribeCapacityReservations",
			"ec2:DescribeImages",
			"ec2:DescribeInstances",
			"ec2:DescribeInstanceTypeOfferings",
			"ec2:DescribeInstanceTypes",
			"ec2:DescribeLaunchTemplates",
			"ec2:DescribeSecurityGroups",
			"ec2:DescribeSpotPriceHistory",
			"ec2:DescribeSubnets",
		}, everything),
		policy.Allows([]string{
			"ssm:GetParameter",
		}, s.In("").ARN("ssm", "parameter/aws/service/*")),
		policy.Allows([]string{
			"pricing:GetProducts",
		}, everything),
		policy.Allows([]string{
			"sqs:DeleteMessage",
			"sqs:GetQueueUrl",
			"sqs:ReceiveMessage",
		}, cmp.Or(s.queueARN, everything)),
		policy.Allows([]string{
			"iam:PassRole",
		}, s.workerRoleARN).When("StringEquals", "iam:PassedToService", ec2Principals()...),
		policy.Allows([]string{
			"iam:CreateInstanceProfile",
		}, profiles).When("StringLike", "aws:RequestTag/"+karpenterNodeClass, everything),
		policy.Allows([]string{
			"iam:TagInstanceProfile",
		}, profiles).
			When("StringLike", "aws:ResourceTag/"+karpenterNodeClass, everything).
			When("StringLike", "aws:RequestTag/"+karpenterNodeClass, everything),
		policy.Allows([]string{
			"iam:AddRoleToInstanceProfile",
			"iam:RemoveRoleFromInstanceProfile",
			"iam:DeleteInstanceProfile",
		}, profiles).When("StringLike", "aws:ResourceTag/"+karpenterNodeClass, everything),
		policy.Allows([]string{
			"iam:GetInstanceProfile",
		}, profiles),
		policy.Allows([]string{
			"iam:ListInstanceProfiles",
		}, everything),
	)
}

// ec2 returns all resources of the given types in the cluster's region and account.
func (s scope) ec2(types ...string) []string { return s.ec2Of(s.Account, types...) }

// ec2Of is like ec2, for resources of another account: "" for AWS itself, "*" for the VPC's owner.
func (s scope) ec2Of(account string, types ...string) []string {
	arns := make([]string, len(types))
	for i, t := range types {
		arns[i] = s.In(account).ARN("ec2", t+"/*")
	}
	return arns
}

// ec2Principals returns EC2's service principals in trust policies; China has a different one.
func ec2Principals() []string { return []string{"ec2.amazonaws.com", "ec2.amazonaws.com.cn"} }

package preflight

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// Read is an operation of AWS's API that preflight calls. The middleware guard refuses any other operation.
type Read struct {
	// Service and Operation are the SDK's names, Action is IAM's, "" for an operation that needs no permission.
	Service, Operation, Action string
	// Checks are the checks that use the response.
	Checks []Check
}

// Reads returns all operations that preflight calls.
func Reads() []Read {
	const elb = "Elastic Load Balancing v2"
	return []Read{
		{"STS", "GetCallerIdentity", "", []Check{Credentials}},
		{"EC2", "DescribeRegions", "ec2:DescribeRegions", []Check{Region}},
		{"EC2", "DescribeAvailabilityZones", "ec2:DescribeAvailabilityZones", []Check{Zones}},
		{"Service Quotas", "GetServiceQuota", "servicequotas:GetServiceQuota", []Check{Quotas}},
		{"Service Quotas", "GetAWSDefaultServiceQuota", "servicequotas:GetAWSDefaultServiceQuota", []Check{Quotas}},
		{"EC2", "DescribeAccountAttributes", "ec2:DescribeAccountAttributes", []Check{Quotas}},
		{"EC2", "DescribeVpcs", "ec2:DescribeVpcs", []Check{Quotas, Networks}},
		{"EC2", "DescribeInternetGateways", "ec2:DescribeInternetGateways", []Check{Quotas}},
		{"EC2", "DescribeAddresses", "ec2:DescribeAddresses", []Check{Quotas}},
		{"EC2", "DescribeNatGateways", "ec2:DescribeNatGateways", []Check{Quotas}},
		{"EC2", "DescribeSubnets", "ec2:DescribeSubnets", []Check{Quotas}},
		{"EC2", "DescribeRouteTables", "ec2:DescribeRouteTables", []Check{Quotas}},
		{"EC2", "DescribeSecurityGroups", "ec2:DescribeSecurityGroups", []Check{Quotas}},
		{"EC2", "DescribeVpcEndpoints", "ec2:DescribeVpcEndpoints", []Check{Quotas}},
		{"EC2", "DescribeInstances", "ec2:DescribeInstances", []Check{Quotas}},
		{"EC2", "DescribeInstanceTypes", "ec2:DescribeInstanceTypes", []Check{Quotas}},
		{elb, "DescribeLoadBalancers", "elasticloadbalancing:DescribeLoadBalancers", []Check{Quotas}},
		{"Route 53", "GetAccountLimit", "route53:GetAccountLimit", []Check{Quotas}},
		{"IAM", "GetAccountSummary", "iam:GetAccountSummary", []Check{Quotas}},
		{"IAM", "ListOpenIDConnectProviders", "iam:ListOpenIDConnectProviders", []Check{Quotas, Names}},
		{"IAM", "SimulatePrincipalPolicy", "iam:SimulatePrincipalPolicy", []Check{Permissions}},
		{"IAM", "GetRole", "iam:GetRole", []Check{Permissions, Names}},
		{"EC2", "DescribeInstanceTypeOfferings", "ec2:DescribeInstanceTypeOfferings", []Check{InstanceTypes}},
		{"EC2", "DescribeVpcEndpointServices", "ec2:DescribeVpcEndpointServices", []Check{EndpointServices}},
		{"S3", "HeadBucket", "s3:ListBucket", []Check{Names}},
		{"S3", "HeadObject", "s3:GetObject", []Check{Names}},
		{"IAM", "GetInstanceProfile", "iam:GetInstanceProfile", []Check{Names}},
		{"IAM", "GetPolicy", "iam:GetPolicy", []Check{Names}},
		{"IAM", "GetUser", "iam:GetUser", []Check{Names}},
		{"KMS", "ListAliases", "kms:ListAliases", []Check{Names}},
		{"Route 53", "ListHostedZonesByName", "route53:ListHostedZonesByName", []Check{Names, Delegation}},
		{"Route 53", "GetHostedZone", "route53:GetHostedZone", []Check{Names, Delegation}},
		{"EC2", "DescribeVpcPeeringConnections", "ec2:DescribeVpcPeeringConnections", []Check{Networks}},
	}
}

// Policy returns the IAM policy that allows all that preflight reads.
func Policy() policy.Document {
	var actions []string
	for _, r := range Reads() {
		if r.Action != "" {
			actions = append(actions, r.Action)
		}
	}
	return policy.New(policy.Statement{SID: "Preflight", Effect: policy.Allow, Action: unique(actions), Resource: policy.List{"*"}})
}

// reads reports whether preflight may call an operation.
func reads(service, operation string) bool {
	return slices.ContainsFunc(Reads(), func(r Read) bool { return r.Service == service && r.Operation == operation })
}

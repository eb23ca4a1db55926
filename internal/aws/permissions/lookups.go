package permissions

import "github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"

// lookups returns the actions of the functions that read existing resources, by token.
func lookups() map[string][]awstype.Grant {
	reads := func(actions ...string) []awstype.Grant { return []awstype.Grant{{Actions: actions}} }
	on := func(scope awstype.Scope, actions ...string) []awstype.Grant {
		return []awstype.Grant{{Actions: actions, On: scope}}
	}
	zones := awstype.Scope{ARNs: []string{"arn:{partition}:route53:::hostedzone/*"}}
	bucket := awstype.Scope{ARNs: []string{"arn:{partition}:s3:::{bucket}"}}
	// A pool may belong to another account, which shares it. Its ARN has no region.
	pool := awstype.Scope{ARNs: []string{"arn:{partition}:ec2::*:ipam-pool/{ipamPoolId}"}}
	issuer := awstype.Scope{ARNs: []string{"arn:{partition}:iam::{account}:oidc-provider/{url}"}}
	// An IAM resource is looked up by name, whatever its path.
	named := func(kind string) awstype.Scope {
		return awstype.Scope{
			ARNs: []string{"arn:{partition}:iam::{account}:" + kind + "/{name}",
				"arn:{partition}:iam::{account}:" + kind + "/*/{name}"},
		}
	}
	return map[string][]awstype.Grant{
		// sts:GetCallerIdentity needs no permission, and the provider computes region and partition.
		"aws:index/getCallerIdentity:getCallerIdentity":       nil,
		"aws:index/getPartition:getPartition":                 nil,
		"aws:index/getRegion:getRegion":                       nil,
		"aws:index/getAvailabilityZone:getAvailabilityZone":   reads("ec2:DescribeAvailabilityZones"),
		"aws:index/getAvailabilityZones:getAvailabilityZones": reads("ec2:DescribeAvailabilityZones"),

		"aws:ec2/getVpc:getVpc": reads("ec2:DescribeVpcs", "ec2:DescribeVpcAttribute",
			"ec2:DescribeRouteTables"),
		"aws:ec2/getSubnet:getSubnet":                 reads("ec2:DescribeSubnets"),
		"aws:ec2/getSubnets:getSubnets":               reads("ec2:DescribeSubnets"),
		"aws:ec2/getVpcDhcpOptions:getVpcDhcpOptions": reads("ec2:DescribeDhcpOptions"),
		"aws:ec2/getRouteTable:getRouteTable":         reads("ec2:DescribeRouteTables"),
		"aws:ec2/getManagedPrefixList:getManagedPrefixList": reads("ec2:DescribeManagedPrefixLists",
			"ec2:GetManagedPrefixListEntries"),
		"aws:ec2/getSecurityGroup:getSecurityGroup":           reads("ec2:DescribeSecurityGroups"),
		"aws:ec2/getSecurityGroups:getSecurityGroups":         reads("ec2:DescribeSecurityGroups"),
		"aws:vpc/getSecurityGroupRules:getSecurityGroupRules": reads("ec2:DescribeSecurityGroupRules"),
		"aws:vpc/getSecurityGroupRule:getSecurityGroupRule":   reads("ec2:DescribeSecurityGroupRules"),
		"aws:ec2/getElasticIp:getElasticIp":                   reads("ec2:DescribeAddresses"),
		"aws:ec2/getNatGateway:getNatGateway":                 reads("ec2:DescribeNatGateways"),
		"aws:ec2/getVpcEndpoint:getVpcEndpoint": reads("ec2:DescribeVpcEndpoints",
			"ec2:DescribePrefixLists"),
		"aws:ec2/getVpcEndpointService:getVpcEndpointService":       reads("ec2:DescribeVpcEndpointServices"),
		"aws:ec2/getNatGateways:getNatGateways":                     reads("ec2:DescribeNatGateways"),
		"aws:ec2transitgateway/getTransitGateway:getTransitGateway": reads("ec2:DescribeTransitGateways"),
		"aws:ec2/getVpcs:getVpcs":                                   reads("ec2:DescribeVpcs"),
		"aws:ec2/getEips:getEips":                                   reads("ec2:DescribeAddresses"),
		"aws:ec2/getVpcIpamPool:getVpcIpamPool":                     reads("ec2:DescribeIpamPools"),
		"aws:ec2/getIpamPreviewNextCidr:getIpamPreviewNextCidr":     on(pool, "ec2:AllocateIpamPoolCidr"),
		"aws:ec2/getPublicIpv4Pool:getPublicIpv4Pool":               reads("ec2:DescribePublicIpv4Pools"),
		"aws:ec2/getAmi:getAmi":                                     reads("ec2:DescribeImages"),
		"aws:ec2/getInstanceType:getInstanceType":                   reads("ec2:DescribeInstanceTypes"),
		"aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": reads("ec2:DescribeInstanceTypeOfferings"),
		"aws:ec2/getKeyPair:getKeyPair":                             reads("ec2:DescribeKeyPairs"),
		"aws:lb/getLoadBalancer:getLoadBalancer": reads("elasticloadbalancing:DescribeLoadBalancers",
			"elasticloadbalancing:DescribeLoadBalancerAttributes", "elasticloadbalancing:DescribeTags"),
		"aws:lb/getLbs:getLbs": reads("elasticloadbalancing:DescribeLoadBalancers", "elasticloadbalancing:DescribeTags"),

		"aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider": append(
			on(issuer, "iam:GetOpenIDConnectProvider"), reads("iam:ListOpenIDConnectProviders")...),
		"aws:iam/getPolicy:getPolicy": on(awstype.Scope{
			ARNInput: "arn",
			ARNs:     []string{"arn:{partition}:iam::{account}:policy/*"},
		},
			"iam:GetPolicy", "iam:GetPolicyVersion"),
		"aws:iam/getRole:getRole":                       on(named("role"), "iam:GetRole"),
		"aws:iam/getRoles:getRoles":                     reads("iam:ListRoles"),
		"aws:iam/getInstanceProfile:getInstanceProfile": on(named("instance-profile"), "iam:GetInstanceProfile"),

		"aws:kms/getKey:getKey": on(awstype.Scope{
			ARNInput: "keyId",
			ARNs:     []string{"arn:{partition}:kms:{region}:{account}:key/{keyId}"},
		},
			"kms:DescribeKey"),
		"aws:s3/getBucket:getBucket": on(bucket, "s3:ListBucket"),
		"aws:route53/getZone:getZone": append(
			on(zones, "route53:GetHostedZone", "route53:ListTagsForResource", "route53:ListResourceRecordSets"),
			reads("route53:ListHostedZones")...),
		"aws:route53/getRecords:getRecords": on(zones, "route53:ListResourceRecordSets"),
	}
}

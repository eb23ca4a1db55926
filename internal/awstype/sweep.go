package awstype

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// The tokens of types that only a cluster's operators create.
const (
	ClassicLoadBalancer = "aws:elb/loadBalancer:LoadBalancer"
	Volume              = "aws:ebs/volume:Volume"
	Snapshot            = "aws:ebs/snapshot:Snapshot"
	NetworkInterface    = "aws:ec2/networkInterface:NetworkInterface"
	InstanceProfile     = "aws:iam/instanceProfile:InstanceProfile"
)

// Sweep is a type's record for a sweep: the search for resources with a cluster's tag, and their deletion without a state.
type Sweep struct {
	Token string
	// Label is the name of the type in messages.
	Label string
	// Deletion is when an instance is deleted. Listeners are deleted with their load balancer, and rules with their security group.
	Deletion Deletion
	// Price is the key of the instance's price, Free, or "" where the price table has none.
	Price string
	// Data is true if an instance may contain data that exists nowhere else.
	Data bool
	// Global is true if an instance belongs to no region.
	Global bool
	// Operators is true if the operators of a hosted cluster create instances, so that a destroy of its stack searches for them.
	Operators bool
	// Network is true if everything in the VPC depends on it.
	Network bool
	// List and Delete are the IAM actions of the search and the deletion.
	List, Delete []string
}

// Sweeps returns the types that a sweep covers, in the order of their deletion.
func Sweeps() []Sweep {
	elb := "elasticloadbalancing:"
	all := []Sweep{
		{Token: Instance, Operators: true, List: []string{"ec2:DescribeInstances"}, Delete: []string{"ec2:TerminateInstances"}},
		{Token: VPCEndpoint, Operators: true, List: []string{"ec2:DescribeVpcEndpoints"}, Delete: []string{"ec2:DeleteVpcEndpoints"}},
		{
			Token: VPCEndpointService, Operators: true, List: []string{"ec2:DescribeVpcEndpointServiceConfigurations"},
			Delete: []string{
				"ec2:DescribeVpcEndpointConnections", "ec2:RejectVpcEndpointConnections", "ec2:DeleteVpcEndpointServiceConfigurations",
			},
		},
		{
			Token: LoadBalancer, Operators: true, List: []string{elb + "DescribeLoadBalancers", elb + "DescribeTags"},
			Delete: []string{elb + "DeleteLoadBalancer"},
		},
		{
			Token: ClassicLoadBalancer, Operators: true, Label: "classic load balancer", Deletion: Deletion{Rank: 25, Wait: 5 * time.Minute},
			List: []string{elb + "DescribeLoadBalancers", elb + "DescribeTags"}, Delete: []string{elb + "DeleteLoadBalancer"},
		},
		{
			Token: TargetGroup, Operators: true, List: []string{elb + "DescribeTargetGroups", elb + "DescribeTags"},
			Delete: []string{elb + "DeleteTargetGroup"},
		},
		{Token: NATGateway, Network: true, List: []string{"ec2:DescribeNatGateways"}, Delete: []string{"ec2:DeleteNatGateway"}},
		{
			Token: Volume, Operators: true, Label: "volume", Deletion: Deletion{Rank: 35}, Data: true,
			List: []string{"ec2:DescribeVolumes"}, Delete: []string{"ec2:DeleteVolume"},
		},
		{
			Token: Snapshot, Operators: true, Label: "snapshot", Deletion: Deletion{Rank: 36}, Data: true,
			List: []string{"ec2:DescribeSnapshots"}, Delete: []string{"ec2:DeleteSnapshot"},
		},
		{Token: ElasticIP, List: []string{"ec2:DescribeAddresses"}, Delete: []string{"ec2:ReleaseAddress"}},
		{
			Token: NetworkInterface, Operators: true, Label: "network interface", Deletion: Deletion{Rank: 45}, Price: Free,
			List: []string{"ec2:DescribeNetworkInterfaces"}, Delete: []string{"ec2:DeleteNetworkInterface"},
		},
		{
			Token: SecurityGroup, Operators: true, List: []string{"ec2:DescribeSecurityGroups"},
			Delete: []string{"ec2:RevokeSecurityGroupIngress", "ec2:RevokeSecurityGroupEgress", "ec2:DeleteSecurityGroup"},
		},
		{
			Token: RouteTable, Network: true, List: []string{"ec2:DescribeRouteTables"},
			Delete: []string{"ec2:DisassociateRouteTable", "ec2:DeleteRouteTable"},
		},
		{
			Token: InternetGateway, Network: true, List: []string{"ec2:DescribeInternetGateways"},
			Delete: []string{"ec2:DetachInternetGateway", "ec2:DeleteInternetGateway"},
		},
		{Token: Subnet, Network: true, List: []string{"ec2:DescribeSubnets"}, Delete: []string{"ec2:DeleteSubnet"}},
		{
			Token: Record, Operators: true, Deletion: Deletion{Rank: 77}, Global: true, List: []string{"route53:ListResourceRecordSets"},
			Delete: []string{"route53:ChangeResourceRecordSets"},
		},
		{
			Token: HostedZone, Global: true, List: []string{"route53:ListHostedZones", "route53:ListTagsForResources", "route53:GetHostedZone"},
			Delete: []string{"route53:ListResourceRecordSets", "route53:ChangeResourceRecordSets", "route53:DeleteHostedZone"},
		},
		{Token: VPC, Network: true, List: []string{"ec2:DescribeVpcs"}, Delete: []string{"ec2:DeleteVpc"}},
		{Token: DHCPOptions, List: []string{"ec2:DescribeDhcpOptions"}, Delete: []string{"ec2:DeleteDhcpOptions"}},
		{
			Token: OIDCProvider, Global: true, List: []string{"iam:ListOpenIDConnectProviders", "iam:GetOpenIDConnectProvider"},
			Delete: []string{"iam:DeleteOpenIDConnectProvider"},
		},
		{
			Token: InstanceProfile, Global: true, List: []string{"iam:ListInstanceProfiles", "iam:GetInstanceProfile"},
			Delete: []string{"iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"},
		},
		{
			Token: Role, Global: true, List: []string{"iam:ListRoles", "iam:GetRole", "iam:ListRoleTags"},
			Delete: []string{
				"iam:ListAttachedRolePolicies", "iam:DetachRolePolicy", "iam:ListRolePolicies", "iam:DeleteRolePolicy",
				"iam:ListInstanceProfilesForRole", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteRole",
			},
		},
		{
			Token: Bucket, Operators: true, Data: true, List: []string{"s3:ListAllMyBuckets", "s3:GetBucketTagging", "tag:GetResources"},
			Delete: []string{"s3:ListBucketVersions", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:DeleteBucket"},
		},
	}
	for i := range all {
		if record, known := Of(all[i].Token); known {
			all[i].Label, all[i].Price = record.Label, record.Price
			all[i].Deletion = cmp.Or(all[i].Deletion, record.Deletion)
		}
	}
	slices.SortStableFunc(all, func(a, b Sweep) int { return cmp.Compare(a.Deletion.Rank, b.Deletion.Rank) })
	return all
}

// sweepByToken has every type, built once.
var sweepByToken = sync.OnceValue(func() map[string]Sweep {
	types := map[string]Sweep{}
	for _, s := range Sweeps() {
		types[s.Token] = s
	}
	return types
})

// SweepOf returns a type's record for a sweep. It reports false for a type that sweeps do not cover.
func SweepOf(token string) (Sweep, bool) {
	s, known := sweepByToken()[token]
	return s, known
}

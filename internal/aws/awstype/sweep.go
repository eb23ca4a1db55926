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
)

// Sweep is how a sweep finds instances with a cluster's tag, and deletes them without a state. The zero value is for
// types that sweeps do not cover.
type Sweep struct {
	// Data is true if an instance may contain data that exists nowhere else.
	Data bool
	// Global is true if an instance belongs to no region.
	Global bool
	// Operators is true if the operators of a hosted cluster create instances, so that a destroy of its stack searches for
	// them.
	Operators bool
	// Network is true if everything in the VPC depends on it.
	Network bool
	// Delete are the IAM actions of the deletion.
	Delete []string
	// Note is a note for users, "" for none.
	Note string
}

// readTypes returns types that commands only read.
func readTypes() []Type {
	return []Type{
		{
			Token: VPCPeering,
			Label: "VPC peering connection",
			Reads: Reads{List: []string{"ec2:DescribeVpcPeeringConnections"}},
		},
		{Token: NetworkACL, Label: "network ACL", Reads: Reads{List: []string{"ec2:DescribeNetworkAcls"}}},
		{
			Token: PrefixList,
			Label: "prefix list",
			Reads: Reads{Named: []string{"ec2:DescribeManagedPrefixLists", "ec2:GetManagedPrefixListEntries"}},
		},
	}
}

// readsByToken has the actions of every type, built once.
var readsByToken = sync.OnceValue(func() map[string]Reads {
	reads := map[string]Reads{}
	for _, t := range slices.Concat(All(), operatorTypes(), readTypes()) {
		reads[t.Token] = t.Reads
	}
	return reads
})

// ReadsOf returns the IAM actions that list instances of a type.
func ReadsOf(token string) Reads { return readsByToken()[token] }

// operatorTypes returns the types that only a cluster's operators create.
func operatorTypes() []Type {
	return []Type{
		{
			Token: ClassicLoadBalancer, Label: "classic load balancer", Deletion: Deletion{Rank: 25, Wait: 5 * time.Minute},
			Reads: Reads{
				List:     []string{"elasticloadbalancing:DescribeLoadBalancers"},
				Complete: []string{"elasticloadbalancing:DescribeTags"},
			},
			Sweep: Sweep{
				Operators: true,
				Delete:    []string{"elasticloadbalancing:DeleteLoadBalancer"},
				Note:      "with its listeners",
			},
		},
		{
			Token: Volume, Label: "volume", Deletion: Deletion{Rank: 35},
			Reads: Reads{List: []string{"ec2:DescribeVolumes"}},
			Sweep: Sweep{Operators: true, Data: true, Delete: []string{"ec2:DeleteVolume"}},
		},
		{
			Token: Snapshot, Label: "snapshot", Deletion: Deletion{Rank: 36},
			Reads: Reads{List: []string{"ec2:DescribeSnapshots"}},
			Sweep: Sweep{Operators: true, Data: true, Delete: []string{"ec2:DeleteSnapshot"}},
		},
		{
			Token: NetworkInterface, Label: "network interface", Deletion: Deletion{Rank: 45}, Price: Free,
			Reads: Reads{List: []string{"ec2:DescribeNetworkInterfaces"}},
			Sweep: Sweep{
				Operators: true, Delete: []string{"ec2:DeleteNetworkInterface"},
				Note: "only if it is not in use",
			},
		},
	}
}

// Sweeps returns the types that a sweep covers, in the order of their deletion. Listeners are deleted with their load
// balancer, and rules with their security group.
func Sweeps() []Type {
	all := slices.DeleteFunc(append(All(), operatorTypes()...), func(t Type) bool { return t.Sweep.Delete == nil })
	slices.SortStableFunc(all, func(a, b Type) int { return cmp.Compare(a.Deletion.Rank, b.Deletion.Rank) })
	return all
}

// sweepByToken has every type, built once.
var sweepByToken = sync.OnceValue(func() map[string]Type {
	types := map[string]Type{}
	for _, s := range Sweeps() {
		types[s.Token] = s
	}
	return types
})

// SweepOf returns the record of a type that sweeps cover. It reports false for a type that sweeps do not cover.
func SweepOf(token string) (Type, bool) {
	s, known := sweepByToken()[token]
	return s, known
}

// LifeTypes returns the types whose instances can be a cluster's signs of life: see awsresources.SignsOfLife.
func LifeTypes() []string {
	return []string{Instance, LoadBalancer, TargetGroup, ClassicLoadBalancer, VPCEndpoint, VPCEndpointService}
}

// TraceTypes returns the types that operators create for each cluster, also for one without nodes: see
// gate.InAWS.Traces.
func TraceTypes() []string { return []string{LoadBalancer, ClassicLoadBalancer, SecurityGroup} }

// ResidentTypes returns the types of which an instance keeps AWS from deleting its VPC, or loses its place with it.
// Interfaces come last: those that belong to a resource of another type are no residents of their own.
func ResidentTypes() []string {
	return []string{
		Instance, VPCEndpoint, LoadBalancer, ClassicLoadBalancer, NATGateway, TransitGatewayAttachment, VPCPeering,
		InternetGateway, EgressOnlyGateway, Subnet, RouteTable, NetworkACL, SecurityGroup, NetworkInterface,
	}
}

// Life returns the IAM actions with which a destroy searches for a cluster's signs of life, and for what others have in
// the stack's VPC.
func Life() []string {
	actions := []string{"ec2:DescribeVpcEndpointConnections", "elasticloadbalancing:DescribeTargetHealth"}
	for _, token := range slices.Concat(LifeTypes(), TraceTypes(), ResidentTypes()) {
		actions = append(actions, ReadsOf(token).Lists()...)
	}
	slices.Sort(actions)
	return slices.Compact(actions)
}

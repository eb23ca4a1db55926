package stackfile

import (
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// The accounts of a shared VPC.
const (
	ClusterAccount = "123456789012"
	OwnerAccount   = "210987654321"
	// OwnersBoundaryARN is a policy of the owner's account.
	OwnersBoundaryARN = "arn:aws:iam::210987654321:policy/owners-boundary"
)

// SharedVPC returns the config of a cluster in a VPC that another account owns.
func SharedVPC(access hypershift.EndpointAccess, network, owner string) string {
	return Network(access, network) + `    accounts:
      vpcOwner: {assumeRole: {roleArn: "arn:aws:iam::` + owner + `:role/network"}}
`
}

// SharedVPCOption is a way to share a VPC.
type SharedVPCOption struct {
	Name   string
	access hypershift.EndpointAccess
	// zones is whose account the private zones are in, and more are further keys of the cluster.
	network, Zones, more string
}

// Config returns the stack's file.
func (o SharedVPCOption) Config() string {
	return SharedVPC(o.access, o.network, OwnerAccount) + o.more
}

// SharedVPCOptions returns each way to share a VPC.
func SharedVPCOptions() []SharedVPCOption {
	return []SharedVPCOption{
		{"owner-zones", hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, shared: {}", OwnerAccount, ""},
		{"cluster-zones", hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, shared: {privateZonesIn: Cluster}",
			ClusterAccount, ""},
		{"private", hypershift.Private, TwoZones +
			", nat: Single, secondaryCIDR: 100.65.0.0/16, interfaceEndpoints: [sts], " +
			"flowLogs: {}, bastion: {}, shared: {}", OwnerAccount, ""},
		{"boundaries", hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, flowLogs: {}, " +
			"shared: {privateZonesIn: Cluster, permissionsBoundary: '" + OwnersBoundaryARN + "'}", ClusterAccount,
			"    iam: {path: /team/, permissionsBoundary: '" + BoundaryARN + "'}\n"},
	}
}

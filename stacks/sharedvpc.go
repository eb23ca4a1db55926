package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// SharedVPCConfig is hypershift-aws:cluster.network.shared.
type SharedVPCConfig struct {
	// PrivateZonesIn is Owner (default) or Cluster: whose account the private zones are in.
	PrivateZonesIn network.SharedZones `yaml:"privateZonesIn"`
	// PermissionsBoundary is the ARN of a policy of the owner's account that limits the roles there. Default
	// none: iam.permissionsBoundary is of the cluster's account.
	PermissionsBoundary string `yaml:"permissionsBoundary"`
}

// sharedVPC says which roles in the VPC owner's account the cluster's roles may take, nil for none.
func (e *estate) sharedVPC() *iam.SharedVPC {
	shared := e.config.Network.Shared
	if shared == nil {
		return nil
	}
	return &iam.SharedVPC{
		VPCOwnerAccountID: e.network.VPCOwnerAccountID,
		ZonesInCluster:    shared.PrivateZonesIn == network.ClusterZones,
	}
}

// makeSharedVPCRoles registers the roles that the cluster's own take in the account of a shared VPC's owner.
func (e *estate) makeSharedVPCRoles(ctx *pulumi.Context, roles *iam.RoleSetArgs) error {
	if roles.SharedVPC == nil {
		return nil
	}
	var err error
	e.sharedRoles, err = iam.NewSharedVPCRoles(ctx, "shared-vpc-roles", &iam.SharedVPCRolesArgs{
		Cluster:                     roles.Cluster,
		RoleOptions:                 roles.RoleOptions,
		VPCOwner:                    e.accounts.vpcOwner,
		OwnersPermissionsBoundary:   e.config.Network.Shared.PermissionsBoundary,
		ZonesInCluster:              roles.SharedVPC.ZonesInCluster,
		IngressRoleARN:              e.roles.IngressARN,
		ControlPlaneOperatorRoleARN: e.roles.ControlPlaneOperatorARN,
		PrivateZoneARN:              roles.PrivateZoneARN,
		LocalZoneARN:                roles.LocalZoneARN,
		VPCID:                       e.network.VPCID,
	})
	return err
}

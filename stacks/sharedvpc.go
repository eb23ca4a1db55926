package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// sharedVPC returns the roles in the VPC owner's account that the cluster's roles may assume, or nil for none.
func (e *clusterProgram) sharedVPC() *iam.SharedVPC {
	shared := e.config.Network.Shared
	if shared == nil {
		return nil
	}
	return &iam.SharedVPC{
		VPCOwnerAccountID: pulumi.String(e.network.VPCOwnerAccountID),
		ZonesInCluster:    shared.PrivateZonesIn == network.ClusterZones,
	}
}

// createSharedVPCRoles registers the roles that the cluster's roles assume in the account of a shared VPC's owner.
func (e *clusterProgram) createSharedVPCRoles(ctx *pulumi.Context, roles *iam.RoleSetArgs) error {
	if roles.SharedVPC == nil || e.sharedRoles != nil { // they are those of a stack of kind iam
		return nil
	}
	var err error
	e.sharedRoles, err = iam.NewSharedVPCRoles(ctx, "shared-vpc-roles", &iam.SharedVPCRolesArgs{
		Cluster:                     roles.Cluster,
		Options:                     roles.Options,
		VPCOwner:                    e.accounts.vpcOwner,
		OwnersPermissionsBoundary:   e.config.Network.Shared.PermissionsBoundary,
		ZonesInCluster:              roles.SharedVPC.ZonesInCluster,
		IngressRoleARN:              e.roles.IngressARN,
		ControlPlaneOperatorRoleARN: e.roles.ControlPlaneOperatorARN,
		PrivateZoneARN:              roles.PrivateZoneARN,
		LocalZoneARN:                roles.LocalZoneARN,
		VPCID:                       e.network.VPCID,
	}, e.place.components...)
	return err
}

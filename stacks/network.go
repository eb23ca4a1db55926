package stacks

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// runNetwork registers the network of a hosted cluster, with the names that it has in a stack of kind cluster, and the
// tags of further clusters that use it. It returns the stack's outputs.
func runNetwork(ctx *pulumi.Context, place placement, n *config.Network) (*NetworkOutputs, error) {
	e := &clusterProgram{place: place, config: n.OfCluster(), region: place.region}
	zones, err := e.zonesOrFirst(ctx)
	if err != nil {
		return nil, err
	}
	account, err := place.account(ctx, nil)
	if err != nil {
		return nil, err
	}
	if e.accounts.parentZone, err = registerAccount(ctx, config.ParentZoneAccountProvider, n.Accounts.ParentZone,
		place.region, place.top...); err != nil {
		return nil, err
	}
	args, boundary := e.networkArgs(zones), pulumi.StringInput(pulumi.String(""))
	if args.Shared != nil {
		if args.Shared.Cluster, err = registerAccount(ctx, config.ClusterAccountProvider, n.Accounts.Cluster, place.region,
			place.top...); err != nil {
			return nil, err
		}
		if input.IsSet(args.Shared.PermissionsBoundary) {
			boundary = args.Shared.PermissionsBoundary
		}
	}
	made, err := network.NewGuestNetwork(ctx, "network", args, place.components...)
	if err != nil {
		return nil, place.origin.refused(err, config.KindNetwork, "network")
	}
	outputs := &NetworkOutputs{
		ClusterAccountID: pulumi.String(made.ClusterAccountID), OwnersPermissionsBoundary: boundary,
		ZonesInCluster: pulumi.Bool(args.Shared != nil && args.Shared.PrivateZonesIn == network.ClusterZones),
		GuestOutputs:   made.GuestOutputs, Kind: pulumi.String(config.KindNetwork), Name: pulumi.String(n.Name),
		InfraID:    pulumi.String(n.InfraID),
		BaseDomain: pulumi.String(n.BaseDomain), BaseDomainPrefix: pulumi.String(n.BaseDomainPrefix),
		EndpointAccess: pulumi.String(n.EndpointAccess),
		AccountID:      pulumi.String(account), Region: pulumi.String(place.region),
		PublicOnly:  pulumi.Bool(n.Network.PublicOnly),
		Zones:       pulumi.ToStringArray(made.Zones),
		ZoneOutputs: e.zoneOutputs(made),
	}
	if len(n.Clusters) > 0 {
		outputs.Clusters = pulumi.ToStringArray(n.Clusters)
	}
	return outputs, place.guardDestroy(ctx, Dependent{Kind: config.KindNetwork, Section: n, Name: n.Name}, n.Unprotected)
}

// readNetwork reads the outputs of a network stack, which the key at path names.
func (p placement) readNetwork(ctx *pulumi.Context, path, stack string) (*networkPart, error) {
	outputs, err := readOutputs[networkPart](ctx, path, "network-stack", stack, p.top...)
	if err != nil {
		return nil, err
	}
	n, err := readNetworkPart(path, stack, outputs)
	return n, p.origin.placed(err)
}

// readParts makes the cluster use the network and the roles of the stacks that its config names.
func (e *clusterProgram) readParts(ctx *pulumi.Context) error {
	if e.config.NetworkStack == "" && e.config.IAMStack == "" {
		return nil
	}
	account, err := e.place.account(ctx, nil)
	if err != nil {
		return err
	}
	if stack := e.config.NetworkStack; stack != "" {
		n, err := e.place.readNetwork(ctx, config.ClusterKey+".networkStack", stack)
		if err != nil {
			return err
		}
		if err := useNetwork(e.config, n, e.region, account); err != nil {
			return e.place.origin.placed(err)
		}
	}
	if stack := e.config.IAMStack; stack != "" {
		outputs, err := readOutputs[iamPart](ctx, config.ClusterKey+".iamStack", "iam-stack", stack, e.place.top...)
		if err != nil {
			return err
		}
		o, err := readIAMPart(stack, outputs)
		if err != nil {
			return e.place.origin.placed(err)
		}
		if shared := o.SharedVPCRoleARNs; len(shared) > 0 {
			e.sharedRoles = &iam.SharedVPCRoles{
				Route53ARN:  pulumi.String(shared["route53"]).ToStringOutput(),
				EndpointARN: pulumi.String(shared["endpoint"]).ToStringOutput(),
			}
		}
		return e.place.origin.placed(useIAM(e.config, o, account))
	}
	return nil
}

// sharedVPC returns the roles in the VPC owner's account that the cluster's roles may assume, or nil for none.
func (e *clusterProgram) sharedVPC() *iam.SharedVPC {
	if existing := e.config.Network.Existing; existing != nil && existing.SharedVPC != nil {
		roles := existing.SharedVPC
		return &iam.SharedVPC{
			VPCOwnerAccountID: roles.ControlPlaneRoleARN.ToStringOutput().ApplyT(func(arn string) string {
				return strings.Split(arn+":::::", ":")[4]
			}).(pulumi.StringOutput),
			IngressRoleARN: roles.IngressRoleARN, ControlPlaneRoleARN: roles.ControlPlaneRoleARN,
		}
	}
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
	if existing := e.config.Network.Existing; existing != nil && existing.SharedVPC != nil {
		e.sharedRoles = &iam.SharedVPCRoles{
			Route53ARN:  existing.SharedVPC.IngressRoleARN.ToStringOutput(),
			EndpointARN: existing.SharedVPC.ControlPlaneRoleARN.ToStringOutput(),
		}
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

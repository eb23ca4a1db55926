package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// runIAM registers the OIDC provider, the roles and the instance profile of a hosted cluster, with the names that they
// have in a stack of kind cluster, and returns the stack's outputs.
func runIAM(ctx *pulumi.Context, place placement, i *config.IAM) (*IAMOutputs, error) {
	c := i.OfCluster()
	in, err := place.location(ctx)
	if err != nil {
		return nil, err
	}
	path := config.KindIAM.Key() + ".networkStack"
	n, err := place.readNetwork(ctx, path, i.NetworkStack)
	if err != nil {
		return nil, err
	}
	if err := agreeWithNetwork(i, n, in.Account); err != nil {
		return nil, place.origin.placed(err)
	}
	refused := func(err error, key string) error { return place.origin.refused(err, config.KindIAM, key) }
	oidc, err := iam.NewOIDCProvider(ctx, "oidc", &c.OIDC.OIDCProviderArgs, place.components...)
	if err != nil {
		return nil, refused(err, "oidc")
	}
	workers, err := iam.NewWorkerProfile(ctx, "workers", c.WorkerProfile(), place.components...)
	if err != nil {
		return nil, refused(err, "iam")
	}
	args := c.RoleSet(c.OIDC.Issuer())
	args.EndpointAccess = hypershift.EndpointAccess(n.EndpointAccess)
	args.OIDCProviderARN, args.WorkerRoleARN, args.Location = oidc.ARN, workers.RoleARN, &in
	zone := func(id string) pulumi.StringInput {
		if id == "" {
			return pulumi.String("")
		}
		return pulumi.String(in.PartitionARN("route53", "hostedzone/"+id))
	}
	args.PublicZoneARN, args.PrivateZoneARN, args.LocalZoneARN = zone(n.PublicZoneID), zone(n.PrivateZoneID),
		zone(n.LocalZoneID)
	if c.IAM.Scoped {
		args.EndpointVPCID = pulumi.String(n.VPCID)
	}
	shared := n.shared()
	if shared != nil {
		args.SharedVPC = &iam.SharedVPC{VPCOwnerAccountID: pulumi.String(n.AccountID), ZonesInCluster: n.ZonesInCluster}
	}
	roles, err := iam.NewRoleSet(ctx, "roles", args, place.components...)
	if err != nil {
		return nil, refused(err, "iam")
	}
	sharedARNs := pulumi.StringMap{}
	if shared != nil {
		owner, err := registerAccount(ctx, config.VPCOwnerAccountProvider, i.Accounts.VPCOwner, place.region, place.top...)
		if err != nil {
			return nil, err
		}
		made, err := iam.NewSharedVPCRoles(ctx, "shared-vpc-roles", &iam.SharedVPCRolesArgs{
			Cluster: args.Cluster, Options: args.Options, VPCOwner: owner, OwnersPermissionsBoundary: shared.PermissionsBoundary,
			ZonesInCluster: n.ZonesInCluster, IngressRoleARN: roles.IngressARN,
			ControlPlaneOperatorRoleARN: roles.ControlPlaneOperatorARN,
			PrivateZoneARN:              args.PrivateZoneARN, LocalZoneARN: args.LocalZoneARN, VPCID: pulumi.String(n.VPCID),
		}, place.components...)
		if err != nil {
			return nil, refused(err, "iam")
		}
		sharedARNs = pulumi.StringMap{"route53": made.Route53ARN, "endpoint": made.EndpointARN}
	}
	arns := pulumi.StringMap{"kmsProviderARN": roles.KMSProviderARN, "karpenterARN": roles.KarpenterARN}
	for _, name := range iam.ControlPlaneRoleNames() {
		arns[string(name)+"ARN"] = roles.ARN(name)
	}
	o := &IAMOutputs{
		Kind: pulumi.String(config.KindIAM), Name: pulumi.String(i.Name), InfraID: pulumi.String(i.InfraID),
		Region:    pulumi.String(place.region),
		AccountID: pulumi.String(in.Account), NetworkStack: pulumi.String(i.NetworkStack),
		IdentityOutputs: identityOutputs(oidc, workers, roles, c.IAM), RoleARNs: arns, SharedVPCRoleARNs: sharedARNs,
		KMSKeyARN: input.Output(args.KMSKeyARN),
	}
	return o, place.guardDestroy(ctx, Dependent{Kind: config.KindIAM, Section: i, Name: i.Name}, i.Unprotected)
}

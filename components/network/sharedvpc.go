package network

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ram"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// The types of the components in the other account.
const (
	vpcOwnerType       = "hypershift-aws:network:VPCOwner"
	clusterAccountType = "hypershift-aws:network:ClusterAccount"
)

// SharedVPC creates the VPC and its parts in another account of the same organization, and shares the subnets with the
// cluster's account by Resource Access Manager. An existing VPC is looked up in that account, which shares it already.
// Zone names are those of the VPC owner's account; the same names can mean other zones in the cluster's account.
type SharedVPC struct {
	// VPCOwner is the provider of the account that owns the VPC, in the cluster's region, if the component's own provider
	// is the cluster's. Required unless cluster is set.
	VPCOwner *aws.Provider `yaml:"-" pulumi:"vpcOwner,optional"`
	// Cluster is the provider of the cluster's account, in the VPC owner's region, if the component's own provider is the
	// VPC owner's. Default: the component's own provider is the cluster's.
	Cluster *aws.Provider `yaml:"-" pulumi:"cluster,optional"`
	// PrivateZonesIn is the account of the private hosted zones: the VPC owner's (Owner) or the cluster's (Cluster).
	// Default Owner.
	PrivateZonesIn SharedZones `yaml:"privateZonesIn" pulumi:"privateZonesIn,optional"`
	// PermissionsBoundary is the ARN of a policy in the VPC owner's account that limits the roles for flow logs and the
	// bastion, which are in that account. The policy must exist. Default none.
	PermissionsBoundary pulumi.StringInput `yaml:"permissionsBoundary" pulumi:"permissionsBoundary,optional"`
}

// SharedZones is the account of a shared VPC's private zones.
type SharedZones string

const (
	// OwnerZones are in the account of the VPC's owner. It is the default.
	OwnerZones SharedZones = "Owner"
	// ClusterZones are in the cluster's account. Route 53 requires a VPC of that account to create a private zone, so an
	// empty VPC is created there.
	ClusterZones SharedZones = "Cluster"
)

// OrDefault returns z, or OwnerZones for the zero value.
func (z SharedZones) OrDefault() SharedZones { return cmp.Or(z, OwnerZones) }

// Validate returns a fault for an unknown account.
func (z SharedZones) Validate() error {
	return enum.Validate(z, "is not an account for private zones", OwnerZones, ClusterZones)
}

func (args *GuestNetworkArgs) validateShared() error {
	var faults fault.Faults
	if args.Shared == nil {
		return nil
	}
	faults.Join("privateZonesIn", args.Shared.PrivateZonesIn.Validate())
	if boundary := args.Shared.PermissionsBoundary; input.IsSet(boundary) {
		faults.Join("permissionsBoundary", input.IfPlain(boundary, validatePolicyARN))
	}
	return faults.Err()
}

// inClusterAccount is the part of a network that is in the cluster's account, if the network's own account is the VPC
// owner's.
type inClusterAccount struct{ pulumi.ResourceState }

// vpcOwner is the part of a network that is in the account of the VPC's owner.
type vpcOwner struct{ pulumi.ResourceState }

// registerOwner registers the component that is the parent of the resources in the other account than the network's
// own: the VPC owner's, or the cluster's.
func (b *guestBuilder) registerOwner() error {
	switch shared := b.args.Shared; {
	case shared == nil:
		return nil
	case shared.Cluster != nil && shared.VPCOwner != nil:
		return &fault.Fault{
			Path:    "shared.cluster",
			Problem: "conflicts with vpcOwner",
			Remedy:  "set the provider of the account that is not the component's own",
		}
	case shared.Cluster != nil:
		part := &inClusterAccount{}
		if err := b.ctx.RegisterComponentResource(clusterAccountType, b.child("cluster-account"), part,
			pulumi.Parent(b.network), pulumi.Provider(shared.Cluster)); err != nil {
			return fmt.Errorf("registering the resources of the cluster's account: %w", err)
		}
		b.cluster = part
		return b.ctx.RegisterResourceOutputs(part, pulumi.Map{})
	case shared.VPCOwner == nil:
		return &fault.Fault{
			Path:    "shared.vpcOwner",
			Problem: "is missing",
			Remedy:  "set the provider of the account that owns the VPC",
		}
	}
	owner := &vpcOwner{}
	if err := b.ctx.RegisterComponentResource(vpcOwnerType, b.child("vpc-owner"), owner,
		pulumi.Parent(b.network), pulumi.Provider(b.args.Shared.VPCOwner)); err != nil {
		return fmt.Errorf("registering the resources of the VPC owner's account: %w", err)
	}
	b.owner = owner
	return b.ctx.RegisterResourceOutputs(owner, pulumi.Map{})
}

// findAccounts checks that owner and cluster are two accounts, with providers in the same region.
func (b *guestBuilder) findAccounts() error {
	if b.args.Shared == nil {
		return nil
	}
	var faults fault.Faults
	var accounts, regions [2]string
	var err error
	if accounts[0], err = b.account(); err != nil {
		return err
	}
	if accounts[1], err = location.LookupAccount(b.ctx, b.inCluster()); err != nil {
		return err
	}
	for i, in := range []pulumi.InvokeOption{b.parent(), b.inCluster()} {
		if regions[i], err = location.LookupRegion(b.ctx, in); err != nil {
			return err
		}
	}
	if accounts[0] == accounts[1] {
		faults.Add("", accounts[0], "is the cluster's own account, but a VPC is shared from another account",
			"use the account of the VPC's owner, or leave shared out")
	}
	if regions[0] != regions[1] {
		faults.Add("", regions[0], "is the region of the VPC owner's provider, but the cluster is in "+regions[1],
			"use the same region for both providers")
	}
	b.network.VPCOwnerAccountID, b.network.ClusterAccountID = accounts[0], accounts[1]
	faults.Join("permissionsBoundary", b.findOwnersBoundary())
	return faults.Err()
}

// validatePolicyARN returns a fault if arn is not the ARN of a managed policy, of any partition.
func validatePolicyARN(arn string) error { return awsid.ValidatePolicyARN(arn, "") }

// findOwnersBoundary checks that the permissions boundary exists in the VPC owner's account.
func (b *guestBuilder) findOwnersBoundary() error {
	boundary := b.args.Shared.PermissionsBoundary
	b.permissionsBoundary = nil
	if !input.IsSet(boundary) {
		return nil
	}
	var err error
	b.permissionsBoundary, err = input.Check("", boundary, func(arn string) error {
		if err := validatePolicyARN(arn); err != nil {
			return err
		}
		if _, err := awsiam.LookupPolicy(b.ctx, &awsiam.LookupPolicyArgs{Arn: &arn}, b.parent()); err != nil {
			return lookupFault(arn, err, "use a policy of the VPC owner's account, or of AWS")
		}
		return nil
	})
	return err
}

// inCluster makes the component in the cluster's account the parent of a resource or a lookup, and uses that account's
// provider.
func (g *guest) inCluster() pulumi.ResourceOrInvokeOption { return pulumi.Parent(g.cluster) }

// shareSubnets shares the subnets with the cluster's account, and tags them there: the owner's tags are not visible in
// that account, and the cluster's operators find subnets by tags. The subnets of an existing VPC are shared already.
func (b *guestBuilder) shareSubnets(vpc *vpcNetwork) error {
	if b.args.Shared == nil || b.args.Existing != nil {
		return nil
	}
	name := b.args.Cluster.InfraID + "-share"
	share, err := ram.NewResourceShare(b.ctx, b.child("share"), &ram.ResourceShareArgs{
		Name:                    pulumi.String(name),
		AllowExternalPrincipals: pulumi.Bool(false), // subnets stay in the organization
		Tags:                    b.tags(""),
	}, b.parent())
	if err != nil {
		return err
	}
	principal, err := ram.NewPrincipalAssociation(b.ctx, b.child("share"), &ram.PrincipalAssociationArgs{
		ResourceShareArn: share.Arn,
		Principal:        pulumi.String(b.network.ClusterAccountID),
	}, b.parent())
	if err != nil {
		return err
	}
	for _, created := range vpc.created {
		shared, err := ram.NewResourceAssociation(b.ctx, b.child("share-"+created.part), &ram.ResourceAssociationArgs{
			ResourceShareArn: share.Arn,
			ResourceArn:      created.subnet.Arn,
		}, b.parent())
		if err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(created.tags)) {
			if _, err := ec2.NewTag(b.ctx, b.child("tag-"+created.part+"-"+key), &ec2.TagArgs{
				ResourceId: created.subnet.ID(),
				Key:        pulumi.String(key),
				Value:      pulumi.String(created.tags[key]),
			}, b.inCluster(), pulumi.DependsOn([]pulumi.Resource{principal, shared})); err != nil {
				return err
			}
		}
	}
	return nil
}

// anchorCIDR is the CIDR of the empty VPC with which private zones in the cluster's account are created.
const anchorCIDR = "10.0.0.0/28"

// zonesInCluster reports whether the private zones are in another account than the VPC.
func (z *privateZones) zonesInCluster() bool {
	return z.args.Shared != nil && z.args.Shared.PrivateZonesIn == ClusterZones
}

// zoneParent returns the parent of resources in the account of the private zones.
func (z *privateZones) zoneParent() pulumi.ResourceOrInvokeOption {
	if z.zonesInCluster() {
		return z.inCluster()
	}
	return z.parent()
}

// zoneVPC returns the VPC with which private zones are created, in their own account.
func (z *privateZones) zoneVPC(v *vpcNetwork) (pulumi.StringInput, error) {
	createsNone := z.existingPrivateZone() != nil && (z.existingLocalZone() != nil || !z.args.EndpointAccess.HasPrivate())
	if !z.zonesInCluster() || createsNone {
		return v.vpcID, nil
	}
	anchor, err := ec2.NewVpc(z.ctx, z.child("zones"), &ec2.VpcArgs{
		CidrBlock: pulumi.String(anchorCIDR),
		Tags:      z.tags(z.args.Cluster.InfraID + "-zones"),
	}, z.zoneParent())
	if err != nil {
		return nil, err
	}
	return anchor.ID(), nil
}

// associate associates the shared VPC with a zone of the cluster's account: that account authorizes the association,
// and the owner's account makes it.
func (z *privateZones) associate(part string, zone *route53.Zone, v *vpcNetwork) error {
	if !z.zonesInCluster() {
		return nil
	}
	allowed, err := route53.NewVpcAssociationAuthorization(z.ctx, z.child(part), &route53.VpcAssociationAuthorizationArgs{
		ZoneId: zone.ZoneId,
		VpcId:  v.vpcID,
	}, z.zoneParent())
	if err != nil {
		return err
	}
	_, err = route53.NewZoneAssociation(z.ctx, z.child(part), &route53.ZoneAssociationArgs{
		ZoneId: allowed.ZoneId,
		VpcId:  allowed.VpcId,
	}, z.parent())
	return err
}

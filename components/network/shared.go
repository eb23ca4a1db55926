package network

import (
	"fmt"

	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/enum"
	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

const vpcOwnerType = "hypershift-aws:network:VPCOwner"

// SharedVPC puts the VPC and its parts into another account of the same organization, and shares the subnets
// with the cluster's by Resource Access Manager. Zones' names are the VPC owner's: those of the cluster's
// account can stand for others.
type SharedVPC struct {
	// VPCOwner is the provider of the account that owns the VPC, in the cluster's region. Required.
	VPCOwner pulumi.ProviderResource `yaml:"-" pulumi:"vpcOwner"`
	// PrivateZonesIn is the account of the private hosted zones: the VPC owner's (Owner) or the cluster's (Cluster).
	// Default Owner.
	PrivateZonesIn SharedZones `yaml:"privateZonesIn" pulumi:"privateZonesIn,optional"`
	// PermissionsBoundary is the ARN of a policy in the VPC owner's account that limits the roles for flow logs and the
	// bastion, which are in that account. The policy must exist. Default none.
	PermissionsBoundary string `yaml:"permissionsBoundary" pulumi:"permissionsBoundary,optional"`
}

// SharedZones says whose account the private zones of a shared VPC are in.
type SharedZones string

const (
	// OwnerZones are in the account of the VPC's owner. It is the default.
	OwnerZones SharedZones = "Owner"
	// ClusterZones are in the cluster's account. Route 53 wants a VPC of that account to make a private zone
	// with, so there is one there that holds nothing.
	ClusterZones SharedZones = "Cluster"
)

// OrDefault is z, or OwnerZones for the zero value.
func (z SharedZones) OrDefault() SharedZones { return enum.OrDefault(z, OwnerZones) }

// Validate returns a fault for an account that zones cannot be in.
func (z SharedZones) Validate() error {
	return enum.Validate(z, "is not an account for private zones", OwnerZones, ClusterZones)
}

func (args *GuestNetworkArgs) validateShared() error {
	var faults fault.Faults
	if args.Shared == nil {
		return nil
	}
	faults.Join("privateZonesIn", args.Shared.PrivateZonesIn.Validate())
	if arn := args.Shared.PermissionsBoundary; arn != "" {
		faults.Join("permissionsBoundary", iam.ValidatePolicyARN(arn, ""))
	}
	return faults.Err()
}

// vpcOwner is the part of a network that is in the account of the VPC's owner.
type vpcOwner struct{ pulumi.ResourceState }

// enterOwnersAccount makes the part of the network that the owner's resources are children of.
func (b *builder) enterOwnersAccount() error {
	if b.args.Shared == nil {
		return nil
	}
	if b.args.Shared.VPCOwner == nil {
		return &fault.Fault{Path: "shared.vpcOwner", Problem: "is missing", Remedy: "give the provider of the account that owns the VPC"}
	}
	owner := &vpcOwner{}
	if err := b.ctx.RegisterComponentResource(vpcOwnerType, b.child("vpc-owner"), owner,
		pulumi.Parent(b.network), pulumi.Provider(b.args.Shared.VPCOwner)); err != nil {
		return fmt.Errorf("registering the part in the VPC owner's account: %w", err)
	}
	b.owner = owner
	return b.ctx.RegisterResourceOutputs(owner, pulumi.Map{})
}

// findAccounts checks that owner and cluster are two accounts, at work in one region.
func (b *builder) findAccounts() error {
	if b.args.Shared == nil {
		return nil
	}
	var faults fault.Faults
	var accounts, regions [2]string
	for i, in := range []pulumi.InvokeOption{b.parent(), pulumi.Parent(b.network)} {
		account, err := location.LookupAccount(b.ctx, in)
		if err != nil {
			return err
		}
		region, err := location.LookupRegion(b.ctx, in)
		if err != nil {
			return err
		}
		accounts[i], regions[i] = account, region
	}
	if accounts[0] == accounts[1] {
		faults.Add("", accounts[0], "is the cluster's own account, but a VPC is shared from another account",
			"give the account of the VPC's owner, or leave shared out")
	}
	if regions[0] != regions[1] {
		faults.Add("", regions[0], "is the region of the VPC owner's provider, but the cluster is in "+regions[1], "use the same region for both providers")
	}
	b.network.VPCOwnerAccountID, b.network.ClusterAccountID = accounts[0], accounts[1]
	faults.Join("permissionsBoundary", b.findOwnersBoundary())
	return faults.Err()
}

// findOwnersBoundary checks that the owner's account has the policy that limits roles there.
func (b *builder) findOwnersBoundary() error {
	arn := b.args.Shared.PermissionsBoundary
	if arn == "" {
		return nil
	}
	if _, err := awsiam.LookupPolicy(b.ctx, &awsiam.LookupPolicyArgs{Arn: &arn}, b.parent()); err != nil {
		return lookupFault(arn, err, "give a policy of the VPC owner's account, or of AWS, that you may read")
	}
	return nil
}

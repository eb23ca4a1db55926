package privatelink

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const zoneAssociationType = "hypershift-aws:privatelink:ZoneAssociation"

// ZoneAssociation lets a further VPC resolve the names of a private control plane, in any account: it associates the
// local zone, whose names are those of the endpoint in the nodes' VPC, with the VPC. The VPC also needs a route to that
// endpoint, and the endpoint must allow its clients. The component's provider is that of the zone's account.
type ZoneAssociation struct {
	pulumi.ResourceState

	// ID is the provider's ID of the association, "<zone>:<VPC>".
	ID pulumi.StringOutput `pulumi:"associationID"`
}

// ZoneAssociationArgs are the inputs of a ZoneAssociation.
type ZoneAssociationArgs struct {
	// ZoneID is the ID of the zone, "Z…". Required.
	ZoneID pulumi.StringInput `yaml:"-" pulumi:"zoneID" set:"the ID of the zone <name>.hypershift.local"`
	// VPCID is the ID of the VPC, "vpc-…". Required. Changing it replaces the association.
	VPCID pulumi.StringInput `yaml:"vpcID" pulumi:"vpcID" set:"the ID of the VPC"`
	// Region is the region of the VPC. Default: the region of its account's provider.
	Region string `yaml:"region" pulumi:"region,optional"`
	// VPCOwner is the provider of the VPC's account, which the zone's account then authorizes. Default: the component's
	// own provider.
	VPCOwner *aws.Provider `yaml:"-" pulumi:"vpcOwner,optional"`
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *ZoneAssociationArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", input.Required(args))
	faults.Join("vpcID", input.IfPlain(args.VPCID, func(id string) error {
		if id == "" || awsid.IsEC2("vpc", id) {
			return nil
		}
		return &fault.Fault{Value: id, Problem: "is not the ID of a VPC", Remedy: "use one such as vpc-0123456789abcdef0"}
	}))
	if args.Region != "" && !hypershift.IsRegion(args.Region) { // the provider has a list, too
		faults.Add("region", args.Region, "is not a known region of AWS", "use "+hypershift.NearestRegion(args.Region))
	}
	return faults.Err()
}

// NewZoneAssociation registers the association, and for a VPC of another account its authorization. AWS refuses a VPC
// that already has a zone of the same name.
func NewZoneAssociation(
	ctx *pulumi.Context,
	name string,
	args *ZoneAssociationArgs,
	opts ...pulumi.ResourceOption,
) (*ZoneAssociation, error) {
	return component.New(ctx, zoneAssociationType, "zone association", name, args, opts,
		func(a *ZoneAssociation, args *ZoneAssociationArgs) error {
			zoneID, vpcID := args.ZoneID.ToStringOutput(), args.VPCID.ToStringOutput()
			var region pulumi.StringPtrInput
			if args.Region != "" {
				region = pulumi.String(args.Region)
			}
			opts := []pulumi.ResourceOption{pulumi.Parent(a)}
			if args.VPCOwner != nil {
				allowed, err := route53.NewVpcAssociationAuthorization(ctx, name, &route53.VpcAssociationAuthorizationArgs{
					ZoneId: zoneID, VpcId: vpcID, VpcRegion: region,
				}, opts...)
				if err != nil {
					return err
				}
				zoneID, vpcID = allowed.ZoneId, allowed.VpcId
				opts = append(opts, pulumi.Provider(args.VPCOwner))
			}
			association, err := route53.NewZoneAssociation(ctx, name, &route53.ZoneAssociationArgs{
				ZoneId: zoneID, VpcId: vpcID, VpcRegion: region,
			}, opts...)
			if err != nil {
				return err
			}
			a.ID = association.ID().ToStringOutput()
			return nil
		})
}

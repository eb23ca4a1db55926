package network

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ram"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// madeSubnet is a subnet of the VPC, as the cluster's account is to find it.
type madeSubnet struct {
	part   string
	subnet *ec2.Subnet
	tags   map[string]string
}

// shareSubnets shares the subnets with the cluster's account, and tags them there: the owner's tags do not
// show in it, and the cluster's operators find subnets by tags.
func (b *builder) shareSubnets(*ground) error {
	if b.args.Shared == nil {
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
	for _, made := range b.subnets {
		if strings.HasPrefix(made.part, "public-") && !b.args.EndpointAccess.HasPublic() {
			continue // egress subnets hold the owner's NAT gateways alone
		}
		shared, err := ram.NewResourceAssociation(b.ctx, b.child("share-"+made.part), &ram.ResourceAssociationArgs{
			ResourceShareArn: share.Arn,
			ResourceArn:      made.subnet.Arn,
		}, b.parent())
		if err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(made.tags)) {
			if _, err := ec2.NewTag(b.ctx, b.child("tag-"+made.part+"-"+key), &ec2.TagArgs{
				ResourceId: made.subnet.ID(),
				Key:        pulumi.String(key),
				Value:      pulumi.String(made.tags[key]),
			}, pulumi.Parent(b.network), pulumi.DependsOn([]pulumi.Resource{principal, shared})); err != nil {
				return err
			}
		}
	}
	return nil
}

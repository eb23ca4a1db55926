package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// anchorCIDR is that of the VPC that private zones in the cluster's account are made with. Nothing is in it.
const anchorCIDR = "10.0.0.0/28"

// zonesInCluster says whether the private zones are in another account than the VPC.
func (b *builder) zonesInCluster() bool {
	return b.args.Shared != nil && b.args.Shared.PrivateZonesIn == ClusterZones
}

// zoneParent makes a resource a child of what is in the account of the private zones.
func (b *builder) zoneParent() pulumi.ResourceOrInvokeOption {
	if b.zonesInCluster() {
		return pulumi.Parent(b.network)
	}
	return b.parent()
}

// zoneVPC is the VPC that private zones are made with: one of their own account.
func (b *builder) zoneVPC(g *ground) (pulumi.StringInput, error) {
	if !b.zonesInCluster() {
		return g.vpcID, nil
	}
	anchor, err := ec2.NewVpc(b.ctx, b.child("zones"), &ec2.VpcArgs{
		CidrBlock: pulumi.String(anchorCIDR),
		Tags:      b.tags(b.args.Cluster.InfraID + "-zones"),
	}, b.zoneParent())
	if err != nil {
		return nil, err
	}
	return anchor.ID(), nil
}

// associate lets the shared VPC see a zone of the cluster's account: that account allows it, and the owner's
// does it.
func (b *builder) associate(part string, zone *route53.Zone, g *ground) error {
	if !b.zonesInCluster() {
		return nil
	}
	allowed, err := route53.NewVpcAssociationAuthorization(b.ctx, b.child(part), &route53.VpcAssociationAuthorizationArgs{
		ZoneId: zone.ZoneId,
		VpcId:  g.vpcID,
	}, b.zoneParent())
	if err != nil {
		return err
	}
	_, err = route53.NewZoneAssociation(b.ctx, b.child(part), &route53.ZoneAssociationArgs{
		ZoneId: allowed.ZoneId,
		VpcId:  allowed.VpcId,
	}, b.parent())
	return err
}

package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

// secondarySide adds the second CIDR to the VPC, with a node subnet in each zone that uses the route table of the zone's first
// one.
func (b *builder) secondarySide(v *vpcNetwork, vpc *ec2.Vpc, private *privateSide) error {
	subnetsByZone := map[string]*ec2.Subnet{}
	if b.args.SecondaryCIDR == "" {
		return nil
	}
	subnets, err := layout.NewSecondary(b.args.SecondaryCIDR, b.layout, b.args.Reserved)
	if err != nil {
		return err
	}
	association, err := ec2.NewVpcIpv4CidrBlockAssociation(b.ctx, b.child("secondary"), &ec2.VpcIpv4CidrBlockAssociationArgs{
		VpcId:     vpc.ID(),
		CidrBlock: pulumi.String(b.args.SecondaryCIDR),
	}, b.parent())
	if err != nil {
		return err
	}
	for _, zone := range b.zones {
		part := "secondary-" + zone.name
		tags := b.args.Tagging.PrivateSubnet(b.args.Prefix + "-" + part)
		if subnetsByZone[zone.name], err = b.subnet(part, vpc, zone, subnets.Subnet(zone.slot), tags,
			private.tables[zone.name], pulumi.DependsOn([]pulumi.Resource{association})); err != nil {
			return err
		}
		b.clusterSubnets = append(b.clusterSubnets, clusterSubnet{part, subnetsByZone[zone.name], tags})
	}
	block := association.CidrBlock
	v.cidrs = append(v.cidrs, nodeCIDR{suffix: "-secondary", block: block})
	b.nodeCIDRs = append(b.nodeCIDRs, pulumi.String(b.args.SecondaryCIDR))
	b.out.SecondaryCIDR, b.out.SecondarySubnetIDs = block, stringMap(ids(subnetsByZone))
	return nil
}

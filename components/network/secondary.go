package network

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// secondaryLayout gives the node subnets of a VPC's second CIDR, which is cut into eight equal parts, one a
// slot. A subnet depends on the CIDR and on its slot, never on how many zones there are.
type secondaryLayout struct{ cidr netip.Prefix }

// newSecondaryLayout lays out a second CIDR. It returns a fault where NewLayout would, and where AWS does
// not let the CIDR stand beside the VPC's first.
func newSecondaryLayout(cidr string, first Layout) (secondaryLayout, error) {
	second, err := NewLayout(cidr)
	if err != nil {
		return secondaryLayout{}, err
	}
	refuse := func(problem, remedy string) (secondaryLayout, error) {
		return secondaryLayout{}, &fault.Fault{Value: cidr, Problem: problem, Remedy: remedy}
	}
	switch private, of := privateRange(second.vpc), privateRange(first.vpc); {
	case second.vpc.Overlaps(first.vpc):
		return refuse(fmt.Sprintf("overlaps %s, the VPC's first CIDR", first.vpc), "give a CIDR that does not overlap, such as 100.65.0.0/16")
	case inLowest10(first.vpc) && netip.MustParsePrefix("10.0.0.0/16").Overlaps(second.vpc):
		return refuse(fmt.Sprintf("is in 10.0.0.0/16, which AWS does not add to a VPC in %s", first.vpc), "give a CIDR from 10.2.0.0 upwards")
	case private != of && private.IsValid():
		return refuse(fmt.Sprintf("is in %s, which AWS does not add to a VPC in %s", private, first.vpc),
			"give a CIDR in 100.64.0.0/10 that OVN-Kubernetes does not use, such as 100.65.0.0/16, or one in the same private range")
	}
	return secondaryLayout{second.vpc}, nil
}

// privateRange is the range for private use that a CIDR is of, the zero value for none. AWS adds to a VPC no
// CIDR of another such range than the first one's. Source: the VPC user guide, "IPv4 CIDR block association
// restrictions".
func privateRange(cidr netip.Prefix) netip.Prefix {
	for _, private := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.19.0.0/16"} {
		if of := netip.MustParsePrefix(private); of.Overlaps(cidr) {
			return of
		}
	}
	return netip.Prefix{}
}

// inLowest10 says whether a VPC lies in the range of which AWS keeps a part for its own services.
func inLowest10(cidr netip.Prefix) bool { return netip.MustParsePrefix("10.0.0.0/15").Overlaps(cidr) }

// subnet is the CIDR of the slot's node subnet.
func (l secondaryLayout) subnet(slot int) string {
	bits := l.cidr.Bits() + 3
	address := l.cidr.Addr().As4()
	binary.BigEndian.PutUint32(address[:], binary.BigEndian.Uint32(address[:])+uint32(slot)<<(32-bits))
	return netip.PrefixFrom(netip.AddrFrom4(address), bits).String()
}

// secondarySide gives the VPC its second CIDR, with a node subnet in each zone that uses the route table of
// the zone's first one.
func (b *builder) secondarySide(g *ground, vpc *ec2.Vpc, private *privateSide) error {
	subnets := map[string]*ec2.Subnet{}
	b.network.SecondaryCIDR, b.network.SecondarySubnetIDs = text(""), stringMap(nil)
	if b.args.SecondaryCIDR == "" {
		return nil
	}
	layout, err := newSecondaryLayout(b.args.SecondaryCIDR, b.layout)
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
		tags := b.profile.tagging.PrivateSubnet(b.args.Cluster.InfraID + "-" + part)
		if subnets[zone.name], err = b.subnet(part, vpc, zone, layout.subnet(zone.slot), tags,
			private.tables[zone.name], pulumi.DependsOn([]pulumi.Resource{association})); err != nil {
			return err
		}
	}
	block := association.CidrBlock
	g.cidrs = append(g.cidrs, nodeCIDR{suffix: "-secondary", block: block})
	b.network.NodeCIDRs = append(b.network.NodeCIDRs, b.args.SecondaryCIDR)
	b.network.SecondaryCIDR, b.network.SecondarySubnetIDs = block, stringMap(ids(subnets))
	return nil
}

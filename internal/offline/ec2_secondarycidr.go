package offline

import (
	"net/netip"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

const secondaryToken = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"

func secondaryKinds() []*kind {
	return []*kind{{
		token: secondaryToken, args: ec2.VpcIpv4CidrBlockAssociationArgs{}, state: ec2.VpcIpv4CidrBlockAssociationState{},
		service: "EC2", noun: "VPC IPv4 CIDR Block Association",
		calls:    calls{"AssociateVpcCidrBlock", "AssociateVpcCidrBlock", "DisassociateVpcCidrBlock"},
		apart:    [][]string{{"cidrBlock", "ipv4NetmaskLength"}},
		computed: []string{"cidrBlock"},
		valid:    map[string]func(string) string{"cidrBlock": networkFault},
		replaces: []string{"cidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength", "vpcId"},
		refs:     []ref{{"vpcId", vpcToken, "", part}},
		missing:  answer{"InvalidVpcCidrBlockAssociationID.NotFound", "The vpc CIDR block association ID '%s' does not exist"},
		rules:    []rule{secondaryRange, secondaryFree},
		leaving:  []rule{secondaryIsEmpty},
		make: func(c *call) error {
			c.rec.ID = newID("vpc-cidr-assoc")
			return nil
		},
	}}
}

// secondaryRange: a VPC gets no CIDR of another range for private use than its first one's.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
func secondaryRange(c *call) error {
	cidr, err := netip.ParsePrefix(c.in().text("cidrBlock"))
	if err != nil {
		return refuse("MissingParameter", "Either 'cidrBlock' or 'ipv4IpamPoolId' must be provided.")
	}
	if cidr.Bits() < 16 || cidr.Bits() > 28 {
		return refuse("InvalidVpc.Range", "The CIDR '%s' is invalid.", cidr)
	}
	first := netip.MustParsePrefix(c.find(vpcToken, c.in().text("vpcId")).State.text("cidrBlock"))
	low := overlaps("10.0.0.0/15", first) && overlaps("10.0.0.0/16", cidr)
	for _, private := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.19.0.0/16"} {
		if low || overlaps(private, cidr) && !overlaps(private, first) {
			return refuse("InvalidVpc.Range", "The CIDR '%s' is restricted. Use a CIDR from the same private address range "+
				"as the current VPC CIDR, or use a publicly-routable CIDR.", cidr)
		}
	}
	return nil
}

func overlaps(network string, cidr netip.Prefix) bool {
	return netip.MustParsePrefix(network).Overlaps(cidr)
}

// secondaryFree: the CIDRs of a VPC share no address.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
func secondaryFree(c *call) error {
	cidr := netip.MustParsePrefix(c.in().text("cidrBlock"))
	for _, other := range c.blocksOf(c.in().text("vpcId")) {
		if other.id != c.rec.ID && other.cidr.Overlaps(cidr) {
			return refuse("InvalidVpc.Range", "The CIDR '%s' conflicts with another CIDR of the VPC", cidr)
		}
	}
	return nil
}

// secondaryIsEmpty: a CIDR stays while a subnet lies in it.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DisassociateVpcCidrBlock.html
func secondaryIsEmpty(c *call) error {
	for _, subnet := range c.all(subnetToken) {
		if subnet.State.text("vpcId") == c.in().text("vpcId") &&
			overlaps(c.in().text("cidrBlock"), netip.MustParsePrefix(subnet.State.text("cidrBlock"))) {
			return refuse("InvalidCidrBlock.InUse", "The vpc currently has a subnet within CIDR block %s", c.in().text("cidrBlock"))
		}
	}
	return nil
}

// block is a CIDR of a VPC.
type block struct {
	id   string
	cidr netip.Prefix
}

// blocksOf are a VPC's CIDRs, its first one first.
func (c *call) blocksOf(vpc string) []block {
	blocks := []block{{stableID("vpc-cidr-assoc", vpc), netip.MustParsePrefix(c.find(vpcToken, vpc).State.text("cidrBlock"))}}
	for _, association := range c.all(secondaryToken) {
		if association.State.text("vpcId") == vpc {
			blocks = append(blocks, block{association.ID, netip.MustParsePrefix(association.State.text("cidrBlock"))})
		}
	}
	return blocks
}

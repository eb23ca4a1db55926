package ec2

import (
	"net/netip"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
)

func secondaryKinds() []*aws.Kind {
	return []*aws.Kind{{
		Token: awstype.SecondaryCIDR, Args: ec2.VpcIpv4CidrBlockAssociationArgs{},
		State:   ec2.VpcIpv4CidrBlockAssociationState{},
		Service: "EC2", Noun: "VPC IPv4 CIDR Block Association",
		Calls: aws.Calls{
			Create: "AssociateVpcCidrBlock",
			Update: "AssociateVpcCidrBlock",
			Remove: "DisassociateVpcCidrBlock",
		},
		ConflictsWith: [][]string{{"cidrBlock", "ipv4NetmaskLength"}},
		ValidateFunc:  map[string]func(string) string{"cidrBlock": networkFault},
		References:    []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.DeletedWith}},
		NotFound: awserr.Template{
			Code: "InvalidVpcCidrBlockAssociationID.NotFound",
			Text: "The vpc CIDR block association ID '%s' does not exist",
		},
		Rules:       []aws.Rule{secondaryRange, secondaryFree},
		DeleteRules: []aws.Rule{secondaryIsEmpty},
		ID:          aws.EC2ID("vpc-cidr-assoc"),
	}}
}

// secondaryRange: a VPC's secondary CIDR cannot be from another private range (RFC 1918) than its primary CIDR.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
func secondaryRange(c *aws.Call) error {
	if err := vpcRange(c); err != nil {
		return err
	}
	cidr := netip.MustParsePrefix(c.State().String("cidrBlock"))
	first := netip.MustParsePrefix(c.Find(awstype.VPC, c.State().String("vpcId")).State.String("cidrBlock"))
	low := overlaps("10.0.0.0/15", first) && overlaps("10.0.0.0/16", cidr)
	for _, private := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.19.0.0/16"} {
		if low || overlaps(private, cidr) && !overlaps(private, first) {
			return awserr.Errorf("InvalidVpc.Range",
				"The CIDR '%s' is restricted. Use a CIDR from the same private address range "+
					"as the current VPC CIDR, or use a publicly-routable CIDR.", cidr)
		}
	}
	return nil
}

func overlaps(network string, cidr netip.Prefix) bool {
	return netip.MustParsePrefix(network).Overlaps(cidr)
}

// secondaryFree: the CIDRs of a VPC do not overlap.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
func secondaryFree(c *aws.Call) error {
	cidr := netip.MustParsePrefix(c.State().String("cidrBlock"))
	for _, other := range blocksOf(c, c.State().String("vpcId")) {
		if other.id != c.Resource.ID && other.cidr.Overlaps(cidr) {
			return awserr.Errorf("InvalidVpc.Range", "The CIDR '%s' conflicts with another CIDR of the VPC", cidr)
		}
	}
	return nil
}

// secondaryIsEmpty: a CIDR cannot be removed while it contains a subnet.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DisassociateVpcCidrBlock.html
func secondaryIsEmpty(c *aws.Call) error {
	for _, subnet := range c.Where(awstype.Subnet, "vpcId", c.State().String("vpcId")) {
		if overlaps(c.State().String("cidrBlock"), netip.MustParsePrefix(subnet.State.String("cidrBlock"))) {
			return awserr.Errorf("InvalidCidrBlock.InUse", "The vpc currently has a subnet within CIDR block %s",
				c.State().String("cidrBlock"))
		}
	}
	return nil
}

// block is a CIDR of a VPC.
type block struct {
	id   string
	cidr netip.Prefix
}

// blocksOf returns a VPC's CIDRs, the primary one first.
func blocksOf(c *aws.Call, vpc string) []block {
	blocks := []block{{ids.StableEC2("vpc-cidr-assoc",
		vpc), netip.MustParsePrefix(c.Find(awstype.VPC, vpc).State.String("cidrBlock"))}}
	for _, association := range c.Where(awstype.SecondaryCIDR, "vpcId", vpc) {
		blocks = append(blocks, block{association.ID, netip.MustParsePrefix(association.State.String("cidrBlock"))})
	}
	return blocks
}

package ec2

import (
	"net/netip"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
)

func ipv6Kinds() []*aws.Kind {
	return []*aws.Kind{{
		Token: awstype.EgressOnlyGateway, Args: ec2.EgressOnlyInternetGatewayArgs{},
		State:   ec2.EgressOnlyInternetGatewayState{},
		Service: "EC2", Noun: "Egress-only Internet Gateway", Calls: aws.Calls{Update: "CreateTags"},
		References: []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.BlocksDeletion}},
		NotFound: awserr.Template{
			Code: "InvalidGatewayID.NotFound",
			Text: "The egressOnlyInternetGateway ID '%s' does not exist",
		},
		Rules: []aws.Rule{oneEgressOnlyGatewayPerVPC},
		ID:    aws.EC2ID("eigw"),
	}}
}

func ipv6NetworkFault(text string) string { return cidrFault(text, "IPv6", netip.Addr.Is6) }

// oneEgressOnlyGatewayPerVPC: a VPC has at most one egress-only internet gateway.
// https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html
func oneEgressOnlyGatewayPerVPC(c *aws.Call) error {
	if len(c.Others("vpcId")) > 0 {
		return awserr.Errorf("InvalidParameterValue", "Network %s already has an egress-only internet gateway attached",
			c.State().String("vpcId"))
	}
	return nil
}

// setIPv6Block assigns an IPv6 CIDR of Amazon's to a VPC, or takes it away, as its inputs say.
func setIPv6Block(c *aws.Call) error {
	s := c.Resource.State
	switch wanted, has := s.Bool("assignGeneratedIpv6CidrBlock"), s.String("ipv6AssociationId") != ""; {
	case wanted && !has:
		s["ipv6CidrBlock"], s["ipv6AssociationId"] = freeIPv6Block(c), ids.EC2("vpc-cidr-assoc")
		s["ipv6CidrBlockNetworkBorderGroup"] = c.Region
	case !wanted && has:
		s["ipv6CidrBlock"], s["ipv6AssociationId"], s["ipv6CidrBlockNetworkBorderGroup"] = "", "", ""
	}
	return nil
}

// freeIPv6Block returns a /56 that no VPC has, of the range that is reserved for documentation.
func freeIPv6Block(c *aws.Call) string {
	taken := map[string]bool{}
	for _, vpc := range c.All(awstype.VPC) {
		taken[vpc.State.String("ipv6CidrBlock")] = true
	}
	for {
		address := [16]byte{0x20, 0x01, 0x0d, 0xb8, byte(ids.RandomBelow(256)), byte(ids.RandomBelow(256)),
			byte(ids.RandomBelow(256))}
		if block := netip.PrefixFrom(netip.AddrFrom16(address), 56).String(); !taken[block] {
			return block
		}
	}
}

// ipv6BlockIsEmpty: a VPC's IPv6 CIDR cannot be removed while it contains a subnet's.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DisassociateVpcCidrBlock.html
func ipv6BlockIsEmpty(c *aws.Call) error {
	if c.Old == nil || c.State().Bool("assignGeneratedIpv6CidrBlock") {
		return nil
	}
	for _, subnet := range c.Where(awstype.Subnet, "vpcId", c.Resource.ID) {
		if subnet.State.String("ipv6CidrBlock") != "" {
			return awserr.Errorf("InvalidCidrBlock.InUse", "The vpc currently has a subnet within CIDR block %s",
				c.Old.State.String("ipv6CidrBlock"))
		}
	}
	return nil
}

// subnetIPv6Range: a subnet's IPv6 CIDR is part of its VPC's, from /44 to /64 in steps of four.
// https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
func subnetIPv6Range(c *aws.Call) error {
	cidr, err := netip.ParsePrefix(c.State().String("ipv6CidrBlock"))
	if err != nil {
		return nil
	}
	vpc, err := netip.ParsePrefix(c.Find(awstype.VPC, c.State().String("vpcId")).State.String("ipv6CidrBlock"))
	if err != nil || cidr.Bits() < max(44, vpc.Bits()) || cidr.Bits() > 64 || cidr.Bits()%4 != 0 ||
		!vpc.Contains(cidr.Addr()) {
		return awserr.Errorf("InvalidSubnet.Range", "The CIDR '%s' is invalid.", cidr)
	}
	return nil
}

// subnetIPv6Overlap: the IPv6 CIDRs of a VPC's subnets do not overlap.
// https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
func subnetIPv6Overlap(c *aws.Call) error {
	cidr, err := netip.ParsePrefix(c.State().String("ipv6CidrBlock"))
	if err != nil {
		return nil
	}
	for _, other := range c.Others("vpcId") {
		taken, err := netip.ParsePrefix(other.State.String("ipv6CidrBlock"))
		if err == nil && taken.Overlaps(cidr) {
			return awserr.Errorf("InvalidSubnet.Conflict", "The CIDR '%s' conflicts with another subnet", cidr)
		}
	}
	return nil
}

// addressesNeedIPv6: only a subnet with an IPv6 CIDR assigns IPv6 addresses.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifySubnetAttribute.html
func addressesNeedIPv6(c *aws.Call) error {
	if c.State().Bool("assignIpv6AddressOnCreation") && c.State().String("ipv6CidrBlock") == "" {
		return awserr.Errorf("InvalidParameterValue", "Invalid value 'true' for assignIpv6AddressOnCreation. The subnet does not have an IPv6 CIDR block.")
	}
	return nil
}

// setSubnetIPv6 names the association of a subnet's IPv6 CIDR.
func setSubnetIPv6(c *aws.Call) error {
	s := c.Resource.State
	switch block := s.String("ipv6CidrBlock"); {
	case block == "":
		s["ipv6CidrBlockAssociationId"] = ""
	case c.Old == nil || c.Old.State.String("ipv6CidrBlock") != block:
		s["ipv6CidrBlockAssociationId"] = ids.EC2("subnet-cidr-assoc")
	}
	return nil
}

// egressOnlyForIPv6: an egress-only internet gateway is the target of routes for IPv6 only.
// https://docs.aws.amazon.com/vpc/latest/userguide/egress-only-internet-gateway.html
func egressOnlyForIPv6(c *aws.Call) error {
	if gateway := c.State().String("egressOnlyGatewayId"); gateway != "" &&
		c.State().String("destinationIpv6CidrBlock") == "" {
		return awserr.Errorf("InvalidParameterValue", "%s can only be the target of a route with an IPv6 destination",
			gateway)
	}
	return nil
}

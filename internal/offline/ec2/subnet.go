package ec2

import (
	"cmp"
	"net/netip"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func subnetKinds() []*aws.Kind {
	return []*aws.Kind{{
		Token: awstype.Subnet, Args: ec2.SubnetArgs{}, State: ec2.SubnetState{},
		Service: "EC2", Noun: "Subnet", Calls: aws.Calls{Update: "ModifySubnetAttribute"},
		ConflictsWith: [][]string{{"availabilityZone", "availabilityZoneId"}},
		Constants: props.Map{"enableLniAtDeviceIndex": 0.0, "mapCustomerOwnedIpOnLaunch": false,
			"privateDnsHostnameTypeOnLaunch": "ip-name"},
		ValidateFunc: map[string]func(string) string{"cidrBlock": networkFault, "ipv6CidrBlock": ipv6NetworkFault},
		References:   []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.BlocksDeletion}},
		NotFound:     awserr.Template{Code: "InvalidSubnetID.NotFound", Text: "The subnet ID '%s' does not exist"},
		InUse: awserr.Template{
			Code: "DependencyViolation",
			Text: "The subnet '%s' has dependencies and cannot be deleted.",
		},
		Rules: []aws.Rule{subnetRange, subnetOverlap, subnetZone, subnetIPv6Range, subnetIPv6Overlap,
			addressesNeedIPv6},
		ID:       aws.EC2ID("subnet"),
		OnUpdate: setSubnetIPv6,
		OnCreate: func(c *aws.Call) error {
			s := c.Resource.State
			at, _ := c.Zone(cmp.Or(s.String("availabilityZone"), cmp.Or(s.String("availabilityZoneId"), c.Zones()[0].Name)))
			s["availabilityZone"], s["availabilityZoneId"] = at.Name, at.ID
			return setSubnetIPv6(c)
		},
	}}
}

// subnetRange: a subnet's CIDR is part of one of its VPC's CIDRs, and a /28 or larger.
// https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
func subnetRange(c *aws.Call) error {
	cidr, err := netip.ParsePrefix(c.State().String("cidrBlock"))
	if err != nil {
		return awserr.Errorf("MissingParameter", "Either 'ipv6CidrBlock' or 'cidrBlock' should be provided.")
	}
	for _, block := range blocksOf(c, c.State().String("vpcId")) {
		if cidr.Bits() >= block.cidr.Bits() && cidr.Bits() <= 28 && block.cidr.Contains(cidr.Addr()) {
			return nil
		}
	}
	return awserr.Errorf("InvalidSubnet.Range", "The CIDR '%s' is invalid.", cidr)
}

// subnetOverlap: the CIDRs of a VPC's subnets do not overlap.
// https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
func subnetOverlap(c *aws.Call) error {
	cidr := netip.MustParsePrefix(c.State().String("cidrBlock"))
	for _, other := range c.Others("vpcId") {
		if netip.MustParsePrefix(other.State.String("cidrBlock")).Overlaps(cidr) {
			return awserr.Errorf("InvalidSubnet.Conflict", "The CIDR '%s' conflicts with another subnet", cidr)
		}
	}
	return nil
}

// subnetZone: a subnet's zone is one of the region.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSubnet.html
func subnetZone(c *aws.Call) error {
	for _, name := range []string{"availabilityZone", "availabilityZoneId"} {
		at := c.State().String(name)
		if _, ok := c.Zone(at); at != "" && !ok {
			return awserr.Errorf("InvalidParameterValue", "Value (%s) for parameter availabilityZone is invalid. "+
				"Subnets can currently only be created in the following availability zones: %s.", at,
				strings.Join(c.ZoneNames(), ", "))
		}
	}
	return nil
}

// freeAddresses returns how many addresses of a subnet are unused; AWS reserves five.
func freeAddresses(c *aws.Call, subnet *store.Entry) int {
	free := 1<<(32-netip.MustParsePrefix(subnet.State.String("cidrBlock")).Bits()) - 5
	for _, token := range []string{awstype.NATGateway, awstype.Instance, awstype.VPCEndpoint} {
		free -= len(c.Where(token, "subnetId", subnet.ID)) + len(c.Where(token, "subnetIds", subnet.ID))
	}
	return free
}

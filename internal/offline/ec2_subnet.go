package offline

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

const subnetToken = "aws:ec2/subnet:Subnet"

func subnetKinds() []*kind {
	return []*kind{{
		token: subnetToken, args: ec2.SubnetArgs{}, state: ec2.SubnetState{},
		service: "EC2", noun: "Subnet", calls: calls{update: "ModifySubnetAttribute"},
		computed: []string{"availabilityZone", "availabilityZoneId", "privateDnsHostnameTypeOnLaunch"},
		apart:    [][]string{{"availabilityZone", "availabilityZoneId"}},
		defaults: props{"assignIpv6AddressOnCreation": false, "enableDns64": false,
			"enableResourceNameDnsARecordOnLaunch": false, "enableResourceNameDnsAaaaRecordOnLaunch": false,
			"ipv6Native": false, "mapPublicIpOnLaunch": false},
		fixed: props{"customerOwnedIpv4Pool": "", "enableLniAtDeviceIndex": 0.0, "ipv6CidrBlock": "",
			"ipv6CidrBlockAssociationId": "", "mapCustomerOwnedIpOnLaunch": false, "outpostArn": "",
			"privateDnsHostnameTypeOnLaunch": "ip-name"},
		enums: map[string][]string{"privateDnsHostnameTypeOnLaunch": {"ip-name", "resource-name"}},
		valid: map[string]func(string) string{"cidrBlock": networkFault},
		replaces: []string{"availabilityZone", "availabilityZoneId", "cidrBlock", "ipv6Native", "outpostArn",
			"vpcId"},
		refs:    []ref{{"vpcId", vpcToken, "", blocks}},
		missing: answer{"InvalidSubnetID.NotFound", "The subnet ID '%s' does not exist"},
		inUse:   answer{"DependencyViolation", "The subnet '%s' has dependencies and cannot be deleted."},
		rules:   []rule{subnetRange, subnetOverlap, subnetZone},
		make: func(c *call) error {
			c.rec.ID = cmp.Or(c.given, newID("subnet"))
			c.owned("subnet")
			s := c.rec.State
			at, _ := c.zone(cmp.Or(s.text("availabilityZone"), cmp.Or(s.text("availabilityZoneId"), c.zones()[0].name)))
			s["availabilityZone"], s["availabilityZoneId"] = at.name, at.id
			return nil
		},
	}}
}

// subnetRange: a subnet is a part of its VPC, a /28 at least.
// https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
func subnetRange(c *call) error {
	cidr, err := netip.ParsePrefix(c.in().text("cidrBlock"))
	if err != nil {
		return refuse("MissingParameter", "Either 'ipv6CidrBlock' or 'cidrBlock' should be provided.")
	}
	for _, of := range c.blocksOf(c.in().text("vpcId")) {
		if cidr.Bits() >= of.cidr.Bits() && cidr.Bits() <= 28 && of.cidr.Contains(cidr.Addr()) {
			return nil
		}
	}
	return refuse("InvalidSubnet.Range", "The CIDR '%s' is invalid.", cidr)
}

// subnetOverlap: no two subnets of a VPC share an address.
// https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
func subnetOverlap(c *call) error {
	cidr := netip.MustParsePrefix(c.in().text("cidrBlock"))
	for _, other := range c.all(subnetToken) {
		if other.ID != c.rec.ID && other.State.text("vpcId") == c.in().text("vpcId") &&
			netip.MustParsePrefix(other.State.text("cidrBlock")).Overlaps(cidr) {
			return refuse("InvalidSubnet.Conflict", "The CIDR '%s' conflicts with another subnet", cidr)
		}
	}
	return nil
}

// subnetZone: a subnet lies in a zone of the region.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSubnet.html
func subnetZone(c *call) error {
	for _, name := range []string{"availabilityZone", "availabilityZoneId"} {
		at := c.in().text(name)
		if _, ok := c.zone(at); at != "" && !ok {
			return refuse("InvalidParameterValue", "Value (%s) for parameter availabilityZone is invalid. "+
				"Subnets can currently only be created in the following availability zones: %s.", at, zoneNames(c.zones()))
		}
	}
	return nil
}

func zoneNames(zones []zone) string {
	names := make([]string, len(zones))
	for i, z := range zones {
		names[i] = z.name
	}
	return strings.Join(names, ", ")
}

// freeAddresses are as many as nothing has yet: AWS keeps five.
func (c *call) freeAddresses(subnet *record) int {
	free := 1<<(32-netip.MustParsePrefix(subnet.State.text("cidrBlock")).Bits()) - 5
	for _, token := range []string{natToken, instanceToken, endpointToken} {
		for _, rec := range c.all(token) {
			if rec.State.text("subnetId") == subnet.ID || slices.Contains(rec.State.texts("subnetIds"), subnet.ID) {
				free--
			}
		}
	}
	return free
}

package offline

import (
	"cmp"
	"fmt"
	"net/netip"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

const (
	vpcToken             = "aws:ec2/vpc:Vpc"
	dhcpToken            = "aws:ec2/vpcDhcpOptions:VpcDhcpOptions"
	dhcpAssociationToken = "aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation"
)

func vpcKinds() []*kind {
	return []*kind{
		{
			token: vpcToken, args: ec2.VpcArgs{}, state: ec2.VpcState{},
			service: "EC2", noun: "VPC", calls: calls{"CreateVpc", "ModifyVpcAttribute", "DeleteVpc"},
			computed: []string{"cidrBlock", "enableDnsHostnames", "enableNetworkAddressUsageMetrics", "ipv6CidrBlock",
				"ipv6CidrBlockNetworkBorderGroup"},
			defaults: props{"enableDnsSupport": true, "instanceTenancy": "default"},
			fixed: props{"enableDnsHostnames": false, "enableNetworkAddressUsageMetrics": false,
				"assignGeneratedIpv6CidrBlock": false, "ipv6AssociationId": "", "ipv6CidrBlock": "",
				"ipv6CidrBlockNetworkBorderGroup": "", "ipv6IpamPoolId": "", "ipv6NetmaskLength": 0.0},
			enums:    map[string][]string{"instanceTenancy": {"default", "dedicated"}},
			valid:    map[string]func(string) string{"cidrBlock": networkFault},
			replaces: []string{"cidrBlock", "instanceTenancy", "ipv4IpamPoolId", "ipv4NetmaskLength"},
			missing:  answer{"InvalidVpcID.NotFound", "The vpc ID '%s' does not exist"},
			inUse:    answer{"DependencyViolation", "The vpc '%s' has dependencies and cannot be deleted."},
			rules:    []rule{vpcRange},
			make:     makeVPC,
			unmake:   unmakeVPC,
		},
		{
			token: dhcpToken, args: ec2.VpcDhcpOptionsArgs{}, state: ec2.VpcDhcpOptionsState{},
			service: "EC2", noun: "DHCP Options Set",
			calls: calls{"CreateDhcpOptions", "CreateTags", "DeleteDhcpOptions"},
			replaces: []string{"domainName", "domainNameServers", "ipv6AddressPreferredLeaseTime", "netbiosNameServers",
				"netbiosNodeType", "ntpServers"},
			missing: answer{"InvalidDhcpOptionID.NotFound", "The dhcpOption ID '%s' does not exist"},
			inUse:   answer{"DependencyViolation", "The dhcpOptions '%s' has dependencies and cannot be deleted."},
			rules:   []rule{dhcpSaysSomething},
			make: func(c *call) error {
				c.rec.ID = newID("dopt")
				c.owned("dhcp-options")
				return nil
			},
		},
		{
			token: dhcpAssociationToken, args: ec2.VpcDhcpOptionsAssociationArgs{},
			state:   ec2.VpcDhcpOptionsAssociationState{},
			service: "EC2", noun: "VPC DHCP Options Set Association",
			calls:    calls{"AssociateDhcpOptions", "AssociateDhcpOptions", "AssociateDhcpOptions"},
			replaces: []string{"vpcId"},
			unique:   []string{"vpcId"},
			refs:     []ref{{"vpcId", vpcToken, "", part}, {"dhcpOptionsId", dhcpToken, "", blocks}},
			missing:  answer{"InvalidDhcpOptionID.NotFound", "There is no association %s"},
			make:     associateDHCP,
			change:   reassociateDHCP,
			unmake:   disassociateDHCP,
			otherID:  func(p props) string { return p.text("vpcId") },
		},
	}
}

// networkFault says what keeps text from being an IPv4 network in CIDR notation.
func networkFault(text string) string {
	prefix, err := netip.ParsePrefix(text)
	if err != nil || !prefix.Addr().Is4() {
		return fmt.Sprintf("%q is not a valid IPv4 CIDR block", text)
	}
	if prefix != prefix.Masked() {
		return fmt.Sprintf("%q is not a valid IPv4 CIDR block; did you mean %q?", text, prefix.Masked())
	}
	return ""
}

// vpcRange: a VPC is a /16 at most and a /28 at least.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
func vpcRange(c *call) error {
	cidr, err := netip.ParsePrefix(c.in().text("cidrBlock"))
	if err != nil {
		return refuse("MissingParameter", "Either 'cidrBlock' or 'ipv4IpamPoolId' must be provided.")
	}
	if cidr.Bits() < 16 || cidr.Bits() > 28 {
		return refuse("InvalidVpc.Range", "The CIDR '%s' is invalid.", cidr)
	}
	return nil
}

// makeVPC makes what comes with every VPC too: a main route table, a network ACL and a security group.
func makeVPC(c *call) error {
	id := cmp.Or(c.given, newID("vpc"))
	c.rec.ID = id
	table, group, acl := newID("rtb"), newID("sg"), newID("acl")
	c.add(routeTableToken, table, props{"vpcId": id, "ownerId": c.account, "main": true,
		"arn": c.arn("ec2", "route-table/"+table), "routes": []any{}, "propagatingVgws": []any{}, "tagsAll": map[string]any{}})
	c.add(securityGroupToken, group, defaultGroup(c.site, id, group))
	s := c.rec.State
	s["mainRouteTableId"], s["defaultRouteTableId"] = table, table
	s["defaultSecurityGroupId"], s["defaultNetworkAclId"] = group, acl
	s["dhcpOptionsId"] = stableID("dopt", c.account, c.region)
	c.owned("vpc")
	return nil
}

// unmakeVPC takes along what AWS made with the VPC.
func unmakeVPC(c *call) error {
	for _, token := range []string{routeTableToken, securityGroupToken} {
		for _, rec := range c.all(token) {
			if rec.Origin == byAWS && rec.State.text("vpcId") == c.rec.ID {
				c.drop(rec)
			}
		}
	}
	return nil
}

// owned fills in ARN and owner of an EC2 resource.
func (c *call) owned(name string) {
	c.rec.State["arn"] = c.arn("ec2", name+"/"+c.rec.ID)
	c.rec.State["ownerId"] = c.account
}

// dhcpSaysSomething: a set of DHCP options holds one at least.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateDhcpOptions.html
func dhcpSaysSomething(c *call) error {
	for _, name := range c.kind.replaces {
		if !blank(c.in()[name]) {
			return nil
		}
	}
	return refuse("MissingParameter", "The request must contain the parameter dhcpConfiguration")
}

// associateDHCP gives a VPC its options. A VPC has one set of them, so an older association is gone.
func associateDHCP(c *call) error {
	vpc := c.in().text("vpcId")
	for _, rec := range c.all(dhcpAssociationToken) {
		if rec.State.text("vpcId") == vpc {
			c.drop(rec)
		}
	}
	c.rec.ID = c.in().text("dhcpOptionsId") + "-" + vpc
	return reassociateDHCP(c)
}

func reassociateDHCP(c *call) error {
	c.edit(vpcToken, c.in().text("vpcId")).State["dhcpOptionsId"] = c.in().text("dhcpOptionsId")
	return nil
}

// disassociateDHCP sets a VPC back to no options of its own.
func disassociateDHCP(c *call) error {
	if vpc := c.edit(vpcToken, c.in().text("vpcId")); vpc != nil {
		vpc.State["dhcpOptionsId"] = "default"
	}
	return nil
}

// Package ec2 declares the resource types and functions of EC2 for the offline account.
package ec2

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func vpcKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.VPC, Args: ec2.VpcArgs{}, State: ec2.VpcState{},
			Service: "EC2", Noun: "VPC", Calls: aws.Calls{
				Create: "CreateVpc",
				Update: "ModifyVpcAttribute",
				Remove: "DeleteVpc",
			},
			Constants: props.Map{"enableDnsHostnames": false, "instanceTenancy": "default",
				"enableNetworkAddressUsageMetrics": false,
				"assignGeneratedIpv6CidrBlock":     false, "ipv6NetmaskLength": 0.0},
			ValidateFunc: map[string]func(string) string{"cidrBlock": networkFault},
			NotFound:     awserr.Template{Code: "InvalidVpcID.NotFound", Text: "The vpc ID '%s' does not exist"},
			InUse: awserr.Template{
				Code: "DependencyViolation",
				Text: "The vpc '%s' has dependencies and cannot be deleted.",
			},
			Rules:    []aws.Rule{poolAllocates, vpcRange, ipv6BlockIsEmpty},
			ID:       aws.EC2ID("vpc"),
			OnCreate: createVPCDefaults,
			OnUpdate: setIPv6Block,
			OnDelete: deleteVPCDefaults,
		},
		{
			Token: awstype.DHCPOptions, Args: ec2.VpcDhcpOptionsArgs{}, State: ec2.VpcDhcpOptionsState{},
			Service: "EC2", Noun: "DHCP Options Set",
			Calls:    aws.Calls{Create: "CreateDhcpOptions", Update: "CreateTags", Remove: "DeleteDhcpOptions"},
			NotFound: awserr.Template{Code: "InvalidDhcpOptionID.NotFound", Text: "The dhcpOption ID '%s' does not exist"},
			InUse: awserr.Template{
				Code: "DependencyViolation",
				Text: "The dhcpOptions '%s' has dependencies and cannot be deleted.",
			},
			Rules: []aws.Rule{dhcpHasOption},
			ID:    aws.EC2ID("dopt"),
		},
		{
			Token: awstype.DHCPOptionsAssociation, Args: ec2.VpcDhcpOptionsAssociationArgs{},
			State:   ec2.VpcDhcpOptionsAssociationState{},
			Service: "EC2", Noun: "VPC DHCP Options Set Association",
			Calls:    aws.Calls{Create: "AssociateDhcpOptions", Update: "AssociateDhcpOptions", Remove: "AssociateDhcpOptions"},
			UniqueBy: []string{"vpcId"},
			References: []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.DeletedWith},
				{Input: "dhcpOptionsId", Type: awstype.DHCPOptions, Dependency: aws.BlocksDeletion}},
			NotFound: awserr.Template{Code: "InvalidDhcpOptionID.NotFound", Text: "There is no association %s"},
			ID:       aws.Joined("-", "dhcpOptionsId", "vpcId"),
			OnCreate: associateDHCP,
			OnUpdate: reassociateDHCP,
			OnDelete: disassociateDHCP,
			ImportID: aws.JoinedForImport("", "vpcId"),
			OnImport: importDHCP,
		},
	}
}

func networkFault(text string) string { return cidrFault(text, "IPv4", netip.Addr.Is4) }

// cidrFault returns why text is not a network of a version of IP in CIDR notation.
func cidrFault(text, version string, is func(netip.Addr) bool) string {
	prefix, err := netip.ParsePrefix(text)
	if err != nil || !is(prefix.Addr()) {
		return fmt.Sprintf("%q is not a valid %s CIDR block", text, version)
	}
	if prefix != prefix.Masked() {
		return fmt.Sprintf("%q is not a valid %s CIDR block; did you mean %q?", text, version, prefix.Masked())
	}
	return ""
}

// vpcRange: a VPC's CIDR is between /16 and /28.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
func vpcRange(c *aws.Call) error {
	cidr, err := netip.ParsePrefix(c.State().String("cidrBlock"))
	if err != nil {
		return awserr.Errorf("MissingParameter", "Either 'cidrBlock' or 'ipv4IpamPoolId' must be provided.")
	}
	if cidr.Bits() < 16 || cidr.Bits() > 28 {
		return awserr.Errorf("InvalidVpc.Range", "The CIDR '%s' is invalid.", cidr)
	}
	return nil
}

// createVPCDefaults creates a VPC's main route table, network ACL and default security group.
func createVPCDefaults(c *aws.Call) error {
	id, s := c.Resource.ID, c.Resource.State
	table, group, acl := ids.EC2("rtb"), ids.EC2("sg"), ids.EC2("acl")
	s["mainRouteTableId"], s["defaultRouteTableId"] = table, table
	s["defaultSecurityGroupId"], s["defaultNetworkAclId"] = group, acl
	s["dhcpOptionsId"] = ids.StableEC2("dopt", c.Account, c.Region)
	return errors.Join(
		setIPv6Block(c),
		c.Add(awstype.RouteTable, table, props.Map{
			"vpcId":           id,
			"main":            true,
			"routes":          []any{},
			"propagatingVgws": []any{},
			"tagsAll":         map[string]any{},
		}),
		c.Add(awstype.SecurityGroup, group, defaultGroup(id)))
}

// deleteVPCDefaults deletes what AWS created with the VPC.
func deleteVPCDefaults(c *aws.Call) {
	for _, token := range []string{awstype.RouteTable, awstype.SecurityGroup} {
		for _, rec := range c.Where(token, "vpcId", c.Resource.ID) {
			if rec.Origin == store.ByAWS {
				c.Delete(rec)
			}
		}
	}
}

// dhcpHasOption: a set of DHCP options has at least one option.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateDhcpOptions.html
func dhcpHasOption(c *aws.Call) error {
	for _, name := range c.Kind.ForceNew {
		if !props.IsBlank(c.State()[name]) {
			return nil
		}
	}
	return awserr.Errorf("MissingParameter", "The request must contain the parameter dhcpConfiguration")
}

// associateDHCP sets a VPC's options. A VPC has one set of them, so an older association is deleted.
func associateDHCP(c *aws.Call) error {
	for _, other := range c.Others("vpcId") {
		c.Delete(other)
	}
	return reassociateDHCP(c)
}

func reassociateDHCP(c *aws.Call) error {
	c.Edit(awstype.VPC, c.State().String("vpcId")).State["dhcpOptionsId"] = c.State().String("dhcpOptionsId")
	return nil
}

// importDHCP: the provider imports the options that the VPC uses, including the default ones.
func importDHCP(c *aws.Call, id string) (*store.Entry, error) {
	vpc := c.Find(awstype.VPC, id)
	if vpc == nil {
		return nil, nil
	}
	options := vpc.State.String("dhcpOptionsId")
	return &store.Entry{Type: awstype.DHCPOptionsAssociation, ID: options + "-" + id,
		State: props.Map{"id": options + "-" + id, "vpcId": id, "dhcpOptionsId": options}}, nil
}

// disassociateDHCP sets a VPC back to the default options.
func disassociateDHCP(c *aws.Call) {
	if vpc := c.Edit(awstype.VPC, c.State().String("vpcId")); vpc != nil {
		vpc.State["dhcpOptionsId"] = "default"
	}
}

// Kinds returns the resource types of EC2.
func Kinds() []*aws.Kind {
	return slices.Concat(vpcKinds(), subnetKinds(), secondaryKinds(), gatewayKinds(), ipv6Kinds(), routeKinds(),
		transitKinds(), endpointKinds(), endpointServiceKinds(),
		securityGroupKinds(), flowLogKinds(), instanceKinds())
}

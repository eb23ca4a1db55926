package awstype

import "time"

// EC2 chooses the IDs of its resources, so that its actions are allowed on everything in the region.

// The tokens of VPCs and their parts.
const (
	VPC                       = "aws:ec2/vpc:Vpc"
	DHCPOptions               = "aws:ec2/vpcDhcpOptions:VpcDhcpOptions"
	DHCPOptionsAssociation    = "aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation"
	SecondaryCIDR             = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"
	Subnet                    = "aws:ec2/subnet:Subnet"
	ElasticIP                 = "aws:ec2/eip:Eip"
	NATGateway                = "aws:ec2/natGateway:NatGateway"
	InternetGateway           = "aws:ec2/internetGateway:InternetGateway"
	InternetGatewayAttachment = "aws:ec2/internetGatewayAttachment:InternetGatewayAttachment"
	// EgressOnlyGateway is the way of private subnets to the internet by IPv6.
	EgressOnlyGateway = "aws:ec2/egressOnlyInternetGateway:EgressOnlyInternetGateway"
	VPCPeering        = "aws:ec2/vpcPeeringConnection:VpcPeeringConnection" // only listed, as the next two
	NetworkACL        = "aws:ec2/networkAcl:NetworkAcl"
	PrefixList        = "aws:ec2/managedPrefixList:ManagedPrefixList"
)

func networkTypes() []Type {
	return []Type{
		{
			Token: VPC, Label: "VPC", Tagged: true,
			Guard: Guard{Needed: "nodes and endpoints are in it", Fixed: []string{"cidrBlock"},
				InputKeys: map[string]string{"cidrBlock": "network.vpcCIDR"}},
			Permissions: Permissions{
				Create: []string{"ec2:CreateVpc", "ec2:CreateTags"},
				Read: []string{
					"ec2:DescribeVpcs", "ec2:DescribeVpcAttribute", "ec2:DescribeRouteTables", "ec2:DescribeNetworkAcls",
					"ec2:DescribeSecurityGroups",
				},
				Update: []string{"ec2:ModifyVpcAttribute", "ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteVpc"},
				Others: append(allocations("ipv4IpamPoolId"),
					Grant{
						Actions: []string{"ec2:AssociateVpcCidrBlock", "ec2:DisassociateVpcCidrBlock"},
						If:      "assignGeneratedIpv6CidrBlock",
					}),
			},
			Reads: Reads{List: []string{"ec2:DescribeVpcs"}},
			Sweep: Sweep{Network: true, Delete: []string{"ec2:DeleteVpc"}},
			Find:  ec2Tagged("vpc"), Deletion: Deletion{Rank: 80}, Price: Free,
			Seconds: Seconds{Create: 15}, // 11 to 22, with the DNS attributes
			Adopt:   adoptedBySearch().named().owned().must("infraID or the account"),
		},
		{
			Token: DHCPOptions, Label: "DHCP options",
			Guard: Guard{Unneeded: "nodes take other options when their lease is new"},
			Permissions: Permissions{
				Create: []string{"ec2:CreateDhcpOptions", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeDhcpOptions"},
				Update: []string{"ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteDhcpOptions", "ec2:DescribeVpcs", "ec2:AssociateDhcpOptions"},
			},
			Reads: Reads{List: []string{"ec2:DescribeDhcpOptions"}},
			Sweep: Sweep{Delete: []string{"ec2:DeleteDhcpOptions"}},
			// cannot be deleted while a VPC uses them
			Find: ec2Tagged("dhcp-options"), Deletion: Deletion{Rank: 90}, Price: Free,
			Adopt: adoptedBySearch().owned().noted("those that the VPC uses"),
		},
		{
			Token: DHCPOptionsAssociation, Label: "DHCP options association",
			Guard: Guard{Unneeded: "nodes take other options when their lease is new"},
			Permissions: Permissions{
				Create: []string{"ec2:AssociateDhcpOptions"},
				Read:   []string{"ec2:DescribeVpcs"},
			},
			// The provider imports whatever options the VPC has, AWS's default among them.
			Find: importedAs("{vpcId}").partOf("vpcId").checked("ec2:DescribeVpcs"), Price: Free,
			Adopt: adoptedByImportID("vpcId", "dhcpOptionsId"),
		},
		{
			Token: SecondaryCIDR, Label: "VPC CIDR association",
			Guard: Guard{Unneeded: "the subnets in it are guarded"},
			Permissions: Permissions{
				Create: []string{"ec2:AssociateVpcCidrBlock"},
				Read:   []string{"ec2:DescribeVpcs"},
				Delete: []string{"ec2:DisassociateVpcCidrBlock"},
			},
			Find: listed("ec2:DescribeVpcs", "vpcId", "cidrBlock").partOf("vpcId"), Price: Free,
			Adopt: adoptedBySearch("vpcId", "cidrBlock"),
		},
		{
			Token: Subnet, Label: "subnet", Tagged: true, Hop: "subnet",
			Guard: Guard{Needed: "nodes, endpoints, and load balancers are in it",
				Fixed: []string{"availabilityZone", "cidrBlock", "vpcId"},
				InputKeys: map[string]string{"availabilityZone": "network.zones", "cidrBlock": "network.zones",
					"tags": "network.clusters"},
				Keys:   "network.zones, network.nat or endpointAccess",
				Losses: clusterTagLosses},
			Permissions: Permissions{
				Create: []string{"ec2:CreateSubnet", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeSubnets"},
				Update: []string{"ec2:ModifySubnetAttribute", "ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteSubnet", "ec2:DescribeNetworkInterfaces"},
				Others: []Grant{{
					Actions: []string{"ec2:AssociateSubnetCidrBlock", "ec2:DisassociateSubnetCidrBlock"},
					If:      "ipv6CidrBlock",
				}},
			},
			Reads: Reads{List: []string{"ec2:DescribeSubnets"}},
			Sweep: Sweep{Network: true, Delete: []string{"ec2:DeleteSubnet"}},
			Find:  ec2Tagged("subnet"), Deletion: Deletion{Rank: 70}, Price: Free,
			Adopt: adoptedBySearch("vpcId", "cidrBlock").must("network.zones, network.vpcCIDR or endpointAccess"),
		},
		{
			Token: ElasticIP, Label: "elastic IP", Tagged: true,
			Guard: Guard{Unneeded: "it is the address of a NAT gateway, which is guarded"},
			Permissions: Permissions{
				Create: []string{"ec2:AllocateAddress", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeAddresses", "ec2:DescribeAddressesAttribute"},
				Update: []string{"ec2:DeleteTags"},
				Delete: []string{"ec2:DisassociateAddress", "ec2:ReleaseAddress"},
				Others: allocations("ipamPoolId"),
			},
			Reads: Reads{List: []string{"ec2:DescribeAddresses"}},
			Sweep: Sweep{Delete: []string{"ec2:ReleaseAddress"}},
			Find:  ec2Tagged("elastic-ip").asking("ec2:DescribeAddresses"), Deletion: Deletion{Rank: 40},
			Price: "publicIPv4Address",
			Adopt: adoptedBySearch().named().owned().noted("the address of the NAT gateway in its zone"),
		},
		{
			Token: NATGateway, Label: "NAT gateway", Tagged: true, Hop: "NAT gateway",
			Guard: Guard{Needed: "nodes reach the internet through it, from its address",
				Fixed: []string{"allocationId", "connectivityType", "subnetId"}, Keys: "network.nat or network.zones"},
			Permissions: Permissions{
				Create: []string{"ec2:CreateNatGateway", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeNatGateways"},
				Update: []string{"ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteNatGateway"},
				Others: []Grant{{
					Actions: []string{"ec2:AssociateNatGatewayAddress", "ec2:DisassociateNatGatewayAddress"},
					If:      "secondaryAllocationIds",
				}},
			},
			Reads:    Reads{List: []string{"ec2:DescribeNatGateways"}},
			Sweep:    Sweep{Network: true, Delete: []string{"ec2:DeleteNatGateway"}},
			Find:     ec2Tagged("natgateway").asking("ec2:DescribeNatGateways"),
			Deletion: Deletion{Rank: 30, Wait: 30 * time.Minute}, Price: "natGateway",
			Seconds: Seconds{Create: 106, Delete: 60}, // 95 to 125
			Adopt:   adoptedBySearch("subnetId").must("network.nat"),
		},
		{
			Token: InternetGateway, Label: "internet gateway", Tagged: true, Hop: "internet gateway",
			Guard: Guard{Unneeded: "the routes to it are guarded"},
			Permissions: Permissions{
				Create: []string{"ec2:CreateInternetGateway", "ec2:AttachInternetGateway", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeInternetGateways"},
				Update: []string{"ec2:DeleteTags"},
				Delete: []string{"ec2:DetachInternetGateway", "ec2:DeleteInternetGateway"},
			},
			Reads: Reads{List: []string{"ec2:DescribeInternetGateways"}},
			Sweep: Sweep{
				Network: true,
				Delete:  []string{"ec2:DetachInternetGateway", "ec2:DeleteInternetGateway"},
			},
			Find: ec2Tagged("internet-gateway"), Deletion: Deletion{Rank: 60}, Price: Free,
			Adopt: adoptedBySearch("vpcId").must("network.nat or endpointAccess"),
		},
		{
			Token: EgressOnlyGateway, Label: "egress-only internet gateway", Tagged: true, Hop: "egress-only internet gateway",
			Guard: Guard{Unneeded: "the routes to it are guarded"},
			Permissions: Permissions{
				Create: []string{"ec2:CreateEgressOnlyInternetGateway", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeEgressOnlyInternetGateways"},
				Update: []string{"ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteEgressOnlyInternetGateway"},
			},
			Reads: Reads{List: []string{"ec2:DescribeEgressOnlyInternetGateways"}},
			Sweep: Sweep{Network: true, Delete: []string{"ec2:DeleteEgressOnlyInternetGateway"}},
			Find:  ec2Tagged("egress-only-internet-gateway"), Deletion: Deletion{Rank: 60}, Price: Free,
			Adopt: adoptedBySearch("vpcId").must("network.ipv6"),
		},
		{
			Token: InternetGatewayAttachment, Label: "internet gateway attachment",
			Guard: Guard{Unneeded: "the routes to it are guarded"},
			Permissions: Permissions{
				Create: []string{"ec2:AttachInternetGateway"},
				Read:   []string{"ec2:DescribeInternetGateways"},
				Delete: []string{"ec2:DetachInternetGateway"},
			},
			Find: importedAs("{internetGatewayId}:{vpcId}").partOf("internetGatewayId"), Price: Free,
			Adopt: adoptedByImportID("internetGatewayId", "vpcId"),
		},
	}
}

// Tag is the type of a single tag, which an account sets on a resource that is shared with it.
const (
	Tag                  = "aws:ec2/tag:Tag"
	ResourceShare        = "aws:ram/resourceShare:ResourceShare"
	ResourceAssociation  = "aws:ram/resourceAssociation:ResourceAssociation"
	PrincipalAssociation = "aws:ram/principalAssociation:PrincipalAssociation"
)

func sharingTypes() []Type {
	shares := on("arn:{partition}:ram:{region}:{account}:resource-share/*")
	associations := Grant{Actions: []string{"ram:GetResourceShareAssociations"}}
	share := tagged("ram:resource-share", "arn:{partition}:ram:{region}:{account}:resource-share/{id}")
	share.Tags.IDIsARN = true
	association := Permissions{
		Create: []string{"ram:AssociateResourceShare"},
		Delete: []string{"ram:DisassociateResourceShare"},
		On:     shares,
		Others: []Grant{associations},
	}
	subnets := association
	subnets.Others = []Grant{{Actions: []string{"ec2:DescribeSubnets"}}, associations}
	return []Type{
		{
			Token: ResourceShare, Label: "resource share", Tagged: true,
			Guard: Guard{Unneeded: "participants keep what they have created in shared subnets"},
			Permissions: Permissions{
				Create: []string{"ram:TagResource"},
				Update: []string{"ram:UpdateResourceShare", "ram:UntagResource"},
				Delete: []string{"ram:DeleteResourceShare"},
				On:     shares,
				Others: []Grant{{
					Actions: []string{"ram:CreateResourceShare", "ram:ListResourceSharePermissions", "ram:GetResourceShares"},
				}},
			},
			Find: share, Deletion: Deletion{Rank: 65}, Price: Free,
			Adopt: adoptedBySearch().owned(),
		},
		{
			Token: ResourceAssociation, Label: "resource association", Permissions: subnets,
			Guard: Guard{Unneeded: "participants keep what they have created in shared subnets"},
			Find:  importedAs("{resourceShareArn},{resourceArn}").partOf("resourceShareArn"), Price: Free,
			Adopt: adoptedByImportID("resourceShareArn", "resourceArn"),
		},
		{
			Token: PrincipalAssociation, Label: "principal association", Permissions: association,
			Guard: Guard{Unneeded: "participants keep what they have created in shared subnets"},
			Find:  importedAs("{resourceShareArn},{principal}").partOf("resourceShareArn"), Price: Free,
			Adopt: adoptedByImportID("resourceShareArn", "principal"),
		},
		{
			Token: Tag, Label: "tag",
			Guard: Guard{
				Needed: "load balancers and nodes of a cluster find their subnets by it, and nothing sets it again",
				Fixed:  []string{"key", "resourceId"}, Within: []string{"resourceId"},
				Keys: "network.existing.tagSubnets or network.shared",
			},
			Permissions: Permissions{
				Create: []string{"ec2:CreateTags"},
				Read:   []string{"ec2:DescribeTags"},
				Delete: []string{"ec2:DeleteTags"},
			},
			Find: Find{Replaceable: true}, Price: Free,
			Adopt: adoptedBySetting("creation sets the tag of that key"),
		},
	}
}

package permissions

// EC2's resources have IDs that are not known beforehand, so their actions are on everything in the region.

// networkEntries are VPCs and what routes their traffic.
func networkEntries() []entry {
	return []entry{
		{
			token:  "aws:ec2/vpc:Vpc",
			create: []string{"ec2:CreateVpc", "ec2:CreateTags"},
			read: []string{
				"ec2:DescribeVpcs", "ec2:DescribeVpcAttribute", "ec2:DescribeRouteTables", "ec2:DescribeNetworkAcls",
				"ec2:DescribeSecurityGroups",
			},
			update: []string{"ec2:ModifyVpcAttribute", "ec2:DeleteTags"},
			remove: []string{"ec2:DeleteVpc"},
		},
		{
			token: "aws:ec2/getVpc:getVpc",
			read:  []string{"ec2:DescribeVpcs", "ec2:DescribeVpcAttribute", "ec2:DescribeRouteTables"},
		},
		{
			token:  "aws:ec2/vpcDhcpOptions:VpcDhcpOptions",
			create: []string{"ec2:CreateDhcpOptions", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeDhcpOptions"},
			update: []string{"ec2:DeleteTags"},
			remove: []string{"ec2:DeleteDhcpOptions", "ec2:DescribeVpcs", "ec2:AssociateDhcpOptions"},
		},
		{
			token:  "aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation",
			create: []string{"ec2:AssociateDhcpOptions"},
			read:   []string{"ec2:DescribeVpcs"},
		},
		{
			token:  "aws:ec2/subnet:Subnet",
			create: []string{"ec2:CreateSubnet", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeSubnets"},
			update: []string{"ec2:ModifySubnetAttribute", "ec2:DeleteTags"},
			remove: []string{"ec2:DeleteSubnet", "ec2:DescribeNetworkInterfaces"},
		},
		{token: "aws:ec2/getSubnet:getSubnet", read: []string{"ec2:DescribeSubnets"}},
		{
			token:  "aws:ec2/internetGateway:InternetGateway",
			create: []string{"ec2:CreateInternetGateway", "ec2:AttachInternetGateway", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeInternetGateways"},
			update: []string{"ec2:DeleteTags"},
			remove: []string{"ec2:DetachInternetGateway", "ec2:DeleteInternetGateway"},
		},
		{
			token:  "aws:ec2/internetGatewayAttachment:InternetGatewayAttachment",
			create: []string{"ec2:AttachInternetGateway"},
			read:   []string{"ec2:DescribeInternetGateways"},
			remove: []string{"ec2:DetachInternetGateway"},
		},
		{
			token:  "aws:ec2/eip:Eip",
			create: []string{"ec2:AllocateAddress", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeAddresses", "ec2:DescribeAddressesAttribute"},
			update: []string{"ec2:DeleteTags"},
			remove: []string{"ec2:DisassociateAddress", "ec2:ReleaseAddress"},
		},
		{
			token:  "aws:ec2/natGateway:NatGateway",
			create: []string{"ec2:CreateNatGateway", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeNatGateways"},
			update: []string{"ec2:DeleteTags"},
			remove: []string{"ec2:DeleteNatGateway"},
		},
		{
			token:  "aws:ec2/routeTable:RouteTable",
			create: []string{"ec2:CreateRouteTable", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeRouteTables"},
			update: []string{"ec2:DeleteTags"},
			remove: []string{"ec2:DisassociateRouteTable", "ec2:DeleteRouteTable"},
		},
		{
			token:  "aws:ec2/route:Route",
			create: []string{"ec2:CreateRoute"},
			read:   []string{"ec2:DescribeRouteTables"},
			update: []string{"ec2:ReplaceRoute"},
			remove: []string{"ec2:DeleteRoute"},
		},
		{
			token:  "aws:ec2/routeTableAssociation:RouteTableAssociation",
			create: []string{"ec2:AssociateRouteTable"},
			read:   []string{"ec2:DescribeRouteTables"},
			update: []string{"ec2:ReplaceRouteTableAssociation"},
			remove: []string{"ec2:DisassociateRouteTable"},
		},
		{
			token:  "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation",
			create: []string{"ec2:ReplaceRouteTableAssociation"},
			read:   []string{"ec2:DescribeRouteTables"},
		},
	}
}

// endpointEntries are the services that a VPC has inside.
func endpointEntries() []entry {
	return []entry{
		{
			token:  "aws:ec2/vpcEndpoint:VpcEndpoint",
			create: []string{"ec2:CreateVpcEndpoint", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeVpcEndpoints", "ec2:DescribePrefixLists"},
			update: []string{"ec2:ModifyVpcEndpoint", "ec2:DeleteTags"},
			remove: []string{"ec2:DeleteVpcEndpoints"},
			// Private DNS is a zone that AWS associates in the caller's name.
			besides: []grant{{actions: []string{"route53:AssociateVPCWithHostedZone"}}},
		},
		{
			token:  "aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation",
			create: []string{"ec2:ModifyVpcEndpoint"},
			read:   []string{"ec2:DescribeVpcEndpoints"},
		},
	}
}

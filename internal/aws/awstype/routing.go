package awstype

import "time"

// The tokens of a VPC's routing.
const (
	RouteTable = "aws:ec2/routeTable:RouteTable"
	Route      = "aws:ec2/route:Route"
	// TransitGatewayAttachment attaches a VPC to a transit gateway.
	TransitGatewayAttachment = "aws:ec2transitgateway/vpcAttachment:VpcAttachment"
	RouteTableAssociation    = "aws:ec2/routeTableAssociation:RouteTableAssociation"
	// MainRouteTableAssociation determines which of a VPC's route tables is its main one.
	MainRouteTableAssociation = "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation"
)

func routingTypes() []Type {
	mainAssociation := listed("ec2:DescribeRouteTables", "vpcId", "routeTableId").partOf("vpcId")
	mainAssociation.NotImportable = true
	return []Type{
		{
			Token: RouteTable, Label: "route table", Tagged: true, Hop: "route table",
			Guard: Guard{Unneeded: "its routes and associations are guarded"},
			Permissions: Permissions{
				Create: []string{"ec2:CreateRouteTable", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeRouteTables"},
				Update: []string{"ec2:DeleteTags"},
				Delete: []string{"ec2:DisassociateRouteTable", "ec2:DeleteRouteTable"},
			},
			Reads: Reads{List: []string{"ec2:DescribeRouteTables"}},
			Sweep: Sweep{
				Network: true,
				Delete:  []string{"ec2:DisassociateRouteTable", "ec2:DeleteRouteTable"},
			},
			Find: ec2Tagged("route-table"), Deletion: Deletion{Rank: 55}, Price: Free,
			Adopt: adoptedBySearch("vpcId").named().noted("the one that its subnets are associated with, else by the tag Name").
				must("network.zones, network.vpcCIDR or endpointAccess"),
		},
		{
			Token: Route, Label: "route", Hop: "route table",
			Guard: Guard{Needed: "traffic of nodes takes it",
				Fixed:  []string{"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId", "routeTableId"},
				Keys:   "network.nat or endpointAccess",
				Within: []string{"natGatewayId", "routeTableId"}},
			Permissions: Permissions{
				Create: []string{"ec2:CreateRoute"},
				Read:   []string{"ec2:DescribeRouteTables"},
				Update: []string{"ec2:ReplaceRoute"},
				Delete: []string{"ec2:DeleteRoute"},
			},
			Find: importedAs("{routeTableId}_{destinationCidrBlock}", "{routeTableId}_{destinationIpv6CidrBlock}",
				"{routeTableId}_{destinationPrefixListId}").partOf("routeTableId"),
			Price: Free,
			Adopt: adoptedByImportID("routeTableId", "destinationCidrBlock", "destinationIpv6CidrBlock",
				"destinationPrefixListId").noted("a route to another target is updated in place"),
		},
		{
			Token: RouteTableAssociation, Label: "route table association", Hop: "route table",
			Guard: Guard{
				Needed: "it gives a subnet its routes",
				Fixed:  []string{"gatewayId", "subnetId"},
				Within: []string{"subnetId"},
			},
			Permissions: Permissions{
				Create: []string{"ec2:AssociateRouteTable"},
				Read:   []string{"ec2:DescribeRouteTables"},
				Update: []string{"ec2:ReplaceRouteTableAssociation"},
				Delete: []string{"ec2:DisassociateRouteTable"},
			},
			// The provider fails to import an association that does not exist, and leaves it in the state.
			Find: importedAs("{subnetId}/{routeTableId}", "{gatewayId}/{routeTableId}").partOf("routeTableId").
				checked("ec2:DescribeRouteTables"),
			Price: Free,
			Adopt: adoptedByImportID("subnetId", "gatewayId", "routeTableId"),
		},
		{
			Token: TransitGatewayAttachment, Label: "transit gateway attachment", Tagged: true, Hop: "transit gateway",
			Guard: Guard{
				Needed: "traffic of nodes takes it",
				Fixed:  []string{"transitGatewayId", "vpcId"},
				Within: []string{"vpcId"},
			},
			Permissions: Permissions{
				Create: []string{"ec2:CreateTransitGatewayVpcAttachment", "ec2:CreateTags"},
				// The provider reads whether the gateway's default route table has the attachment, if the gateway is the account's
				// own.
				Read: []string{
					"ec2:DescribeTransitGatewayVpcAttachments", "ec2:DescribeTransitGateways",
					"ec2:GetTransitGatewayRouteTableAssociations", "ec2:GetTransitGatewayRouteTablePropagations",
				},
				Update: []string{"ec2:ModifyTransitGatewayVpcAttachment", "ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteTransitGatewayVpcAttachment"},
			},
			Reads: Reads{List: []string{"ec2:DescribeTransitGatewayVpcAttachments"}},
			Sweep: Sweep{
				Network: true,
				Delete:  []string{"ec2:DeleteTransitGatewayVpcAttachment"},
			},
			Find: ec2Tagged("transit-gateway-attachment"), Deletion: Deletion{Rank: 30, Wait: 10 * time.Minute},
			Price: "transitGatewayAttachment",
			Adopt: adoptedBySearch("vpcId", "transitGatewayId"),
		},
		{
			Token: MainRouteTableAssociation, Label: "main route table association",
			Guard: Guard{Unneeded: "subnets of nodes have associations of their own"},
			Permissions: Permissions{
				Create: []string{"ec2:ReplaceRouteTableAssociation"},
				Read:   []string{"ec2:DescribeRouteTables"},
			},
			Find: mainAssociation, Price: Free,
			Adopt: Adoption{By: AdoptByWriting, Match: []string{"vpcId", "routeTableId"},
				Note: "AWS is not called: the table that destroy gives back is the VPC's own one, without tags and associations"},
		},
	}
}

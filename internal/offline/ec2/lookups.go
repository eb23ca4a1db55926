package ec2

import (
	"cmp"
	"errors"
	"path"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func networkFunctions() []*aws.Function {
	return append(machineFunctions(), []*aws.Function{
		aws.NewFunction("aws:ec2/getVpc:getVpc", getVPC),
		aws.NewFunction("aws:ec2/getSubnet:getSubnet", getSubnet),
		aws.NewFunction("aws:ec2/getSubnets:getSubnets", getSubnets),
		aws.NewFunction("aws:ec2/getSecurityGroups:getSecurityGroups", getSecurityGroups),
		aws.NewFunction("aws:vpc/getSecurityGroupRules:getSecurityGroupRules", getSecurityGroupRules),
		aws.NewFunction("aws:vpc/getSecurityGroupRule:getSecurityGroupRule", getSecurityGroupRule),
		aws.NewFunction("aws:ec2/getVpcEndpoint:getVpcEndpoint", getVPCEndpoint),
		aws.NewFunction("aws:ec2/getVpcEndpointService:getVpcEndpointService", getVPCEndpointService),
		aws.NewFunction("aws:ec2/getVpcDhcpOptions:getVpcDhcpOptions", getDHCPOptions),
		aws.NewFunction("aws:ec2/getRouteTable:getRouteTable", getRouteTable),
		aws.NewFunction("aws:ec2/getSecurityGroup:getSecurityGroup", getSecurityGroup),
		aws.NewFunction("aws:ec2/getElasticIp:getElasticIp", getElasticIP),
		aws.NewFunction("aws:ec2/getNatGateway:getNatGateway", getNATGateway),
		aws.NewFunction("aws:ec2/getAmi:getAmi", getImage),
	}...)
}

// associations returns a VPC's CIDRs in the form of a lookup's result.
func associations(c *aws.Call, vpc string) []ec2.GetVpcCidrBlockAssociation {
	var associations []ec2.GetVpcCidrBlockAssociation
	for _, b := range blocksOf(c, vpc) {
		associations = append(associations, ec2.GetVpcCidrBlockAssociation{AssociationId: b.id, CidrBlock: b.cidr.String(),
			State: "associated"})
	}
	return associations
}

func getDHCPOptions(c *aws.Call, args ec2.LookupVpcDhcpOptionsArgs) (*ec2.LookupVpcDhcpOptionsResult, error) {
	id := aws.Deref(args.DhcpOptionsId)
	if id == ids.StableEC2("dopt", c.Account, c.Region) { // the region's default set, which every account has
		return &ec2.LookupVpcDhcpOptionsResult{Id: id, DhcpOptionsId: id, Arn: c.ARN("ec2", "dhcp-options/"+id),
			DomainName: internalDomain(c.Site), DomainNameServers: []string{"AmazonProvidedDNS"}, OwnerId: c.Account}, nil
	}
	rec, err := c.FindOne("EC2 DHCP Options Set", awstype.DHCPOptions, id, nil, func(props.Map) bool { return true })
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	s := rec.State
	return &ec2.LookupVpcDhcpOptionsResult{Id: rec.ID, DhcpOptionsId: rec.ID, Arn: s.String("arn"), DomainName: s.String("domainName"),
		DomainNameServers: s.Strings("domainNameServers"), NtpServers: s.Strings("ntpServers"), OwnerId: s.String("ownerId"),
		Tags: aws.TagsOf(s)}, nil
}

// getRouteTable finds a table by its ID, or by a subnet that is explicitly associated with it. A subnet without an association, which uses
// its VPC's main table, has none.
func getRouteTable(c *aws.Call, args ec2.LookupRouteTableArgs) (*ec2.LookupRouteTableResult, error) {
	var associations []ec2.GetRouteTableAssociationType
	id := aws.Deref(args.RouteTableId)
	for _, rec := range c.All(awstype.RouteTableAssociation) {
		if id == "" && args.SubnetId != nil && rec.State.String("subnetId") == *args.SubnetId {
			id = rec.State.String("routeTableId")
		}
		if rec.State.String("routeTableId") == id {
			associations = append(associations, ec2.GetRouteTableAssociationType{RouteTableAssociationId: rec.ID,
				RouteTableId: id, SubnetId: rec.State.String("subnetId"), GatewayId: rec.State.String("gatewayId")})
		}
	}
	if id == "" && args.SubnetId != nil {
		return nil, errors.New("query returned no results. Please change your search criteria and try again")
	}
	rec, err := c.FindOne("EC2 Route Table", awstype.RouteTable, id, args.Tags, func(s props.Map) bool { return aws.Matches(s, "vpcId", args.VpcId) })
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	table := &aws.Call{Tx: c.Tx, Site: c.Site, Kind: c.Types.Kinds[awstype.RouteTable], Resource: rec}
	s := table.Outputs(rec)
	result := &ec2.LookupRouteTableResult{Id: rec.ID, RouteTableId: rec.ID, Arn: s.String("arn"), VpcId: s.String("vpcId"),
		OwnerId: s.String("ownerId"), Associations: associations, SubnetId: aws.Deref(args.SubnetId), Tags: aws.TagsOf(s)}
	for _, r := range s.Objects("routes") {
		result.Routes = append(result.Routes, ec2.GetRouteTableRoute{CidrBlock: r.String("cidrBlock"),
			DestinationPrefixListId: r.String("destinationPrefixListId"), GatewayId: r.String("gatewayId"),
			NatGatewayId: r.String("natGatewayId"), NetworkInterfaceId: r.String("networkInterfaceId"),
			TransitGatewayId: r.String("transitGatewayId"), VpcEndpointId: r.String("vpcEndpointId"),
			VpcPeeringConnectionId: r.String("vpcPeeringConnectionId")})
	}
	return result, nil
}

func getSecurityGroup(c *aws.Call, args ec2.LookupSecurityGroupArgs) (*ec2.LookupSecurityGroupResult, error) {
	rec, err := c.FindOne("EC2 Security Group", awstype.SecurityGroup, aws.Deref(args.Id), args.Tags, func(s props.Map) bool {
		return aws.Matches(s, "name", args.Name) && aws.Matches(s, "vpcId", args.VpcId)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	s := rec.State
	return &ec2.LookupSecurityGroupResult{Id: rec.ID, Arn: s.String("arn"), Description: s.String("description"), Name: s.String("name"),
		VpcId: s.String("vpcId"), Tags: aws.TagsOf(s)}, nil
}

func getElasticIP(c *aws.Call, args ec2.GetElasticIpArgs) (*ec2.GetElasticIpResult, error) {
	rec, err := c.FindOne("EC2 EIP", awstype.ElasticIP, aws.Deref(args.Id), args.Tags, func(s props.Map) bool { return aws.Matches(s, "publicIp", args.PublicIp) })
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	address := &aws.Call{Tx: c.Tx, Site: c.Site, Kind: c.Types.Kinds[awstype.ElasticIP], Resource: rec}
	s := address.Outputs(rec)
	return &ec2.GetElasticIpResult{Id: rec.ID, Arn: s.String("arn"), AssociationId: s.String("associationId"), Domain: s.String("domain"),
		InstanceId: s.String("instance"), NetworkInterfaceId: s.String("networkInterface"), PrivateIp: s.String("privateIp"),
		PublicDns: s.String("publicDns"), PublicIp: s.String("publicIp"), PublicIpv4Pool: s.String("publicIpv4Pool"), Tags: aws.TagsOf(s)}, nil
}

func getNATGateway(c *aws.Call, args ec2.LookupNatGatewayArgs) (*ec2.LookupNatGatewayResult, error) {
	rec, err := c.FindOne("EC2 NAT Gateway", awstype.NATGateway, aws.Deref(args.Id), args.Tags, func(s props.Map) bool {
		subnet := c.Find(awstype.Subnet, s.String("subnetId"))
		return aws.Matches(s, "subnetId", args.SubnetId) && (args.State == nil || *args.State == "available") &&
			(args.VpcId == nil || subnet != nil && subnet.State.String("vpcId") == *args.VpcId)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	s := rec.State
	return &ec2.LookupNatGatewayResult{Id: rec.ID, AllocationId: s.String("allocationId"), AssociationId: s.String("associationId"),
		ConnectivityType: s.String("connectivityType"), NetworkInterfaceId: s.String("networkInterfaceId"),
		PrivateIp: s.String("privateIp"), PublicIp: s.String("publicIp"), State: "available", SubnetId: s.String("subnetId"),
		VpcId: c.Find(awstype.Subnet, s.String("subnetId")).State.String("vpcId"), Tags: aws.TagsOf(s)}, nil
}

// image is a public machine image; owner is the alias or the account by which it is looked up.
type image struct{ ID, name, architecture, owner string }

// alias returns the owner's alias, if it is one of AWS's.
func (i image) alias() string {
	if i.owner == "amazon" {
		return i.owner
	}
	return ""
}

// Images returns the public images that are visible to every account.
func Images(s aws.Site) []image {
	var images []image
	for _, architecture := range []string{"x86_64", "arm64"} {
		name := "al2023-ami-2023.8.20250818.0-kernel-6.1-" + architecture
		images = append(images, image{ids.StableEC2("ami", s.Region, name), name, architecture, "amazon"})
	}
	return append(images, capaImages(s)...)
}

// imagesOf returns all images that are visible to an account, the newest first: its own, and published images of
// others.
func imagesOf(c *aws.Call) []image {
	own := c.All(aws.Image)
	slices.SortFunc(own, func(a, b *store.Record) int {
		return cmp.Or(cmp.Compare(b.State.String("creationDate"), a.State.String("creationDate")), cmp.Compare(a.ID, b.ID))
	})
	var images []image
	for _, rec := range own {
		images = append(images, image{rec.ID, rec.State.String("name"), rec.State.String("architecture"), rec.State.String("owner")})
	}
	return append(images, Images(c.Site)...)
}

func getImage(c *aws.Call, args ec2.LookupAmiArgs) (*ec2.LookupAmiResult, error) {
	var found []image
	for _, i := range imagesOf(c) {
		fits := len(args.Owners) == 0 || slices.Contains(args.Owners, i.owner)
		for _, f := range args.Filters {
			value := map[string]string{"name": i.name, "state": "available", "architecture": i.architecture,
				"virtualization-type": "hvm", "image-id": i.ID, "owner-alias": i.alias()}[f.Name]
			fits = fits && slices.ContainsFunc(f.Values, func(pattern string) bool {
				matched, _ := path.Match(pattern, value)
				return matched
			})
		}
		if fits {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 0:
		return nil, errors.New("your query returned no results. Please change your search criteria and try again")
	case len(found) > 1 && !aws.Deref(args.MostRecent):
		return nil, errors.New("your query returned more than one result. Please try a more specific search criteria, or set `most_recent` attribute to true")
	}
	i := found[0]
	return &ec2.LookupAmiResult{Id: i.ID, ImageId: i.ID, Arn: c.ARN("ec2", "image/"+i.ID), Name: i.name, Architecture: i.architecture,
		ImageOwnerAlias: i.alias(), State: "available", MostRecent: args.MostRecent, Owners: args.Owners, Public: true,
		RootDeviceType: "ebs", RootDeviceName: "/dev/xvda", VirtualizationType: "hvm"}, nil
}

package ec2

import (
	"cmp"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Functions returns the functions that look up EC2's resources.
func Functions() []*aws.Function {
	ids := map[string]string{"ids": "id"}
	return []*aws.Function{
		aws.NewLookup[ec2.LookupVpcResult]("aws:ec2/getVpc:getVpc", awstype.VPC, "id",
			func(c *aws.Call, rec *store.Entry, out props.Map) {
				out["state"], out["cidrBlockAssociations"], out["default"] = "available", associations(c,
					rec.ID), rec.State.Bool("default")
			}),
		aws.NewLookup[ec2.LookupSubnetResult]("aws:ec2/getSubnet:getSubnet", awstype.Subnet, "id", viewSubnet),
		aws.NewLookup[ec2.LookupSecurityGroupResult]("aws:ec2/getSecurityGroup:getSecurityGroup", awstype.SecurityGroup, "id",
			nil),
		aws.NewLookup[ec2.GetElasticIpResult]("aws:ec2/getElasticIp:getElasticIp", awstype.ElasticIP, "id",
			func(_ *aws.Call, _ *store.Entry, out props.Map) {
				out["instanceId"], out["networkInterfaceId"] = out["instance"], out["networkInterface"]
			}),
		aws.NewLookup[ec2.LookupNatGatewayResult]("aws:ec2/getNatGateway:getNatGateway", awstype.NATGateway, "id",
			func(c *aws.Call, rec *store.Entry, out props.Map) {
				out["state"], out["vpcId"] = "available", vpcOf(c, rec)
			}),
		aws.NewFilteredLookup[ec2.LookupVpcEndpointResult]("aws:ec2/getVpcEndpoint:getVpcEndpoint", awstype.VPCEndpoint, "id",
			map[string]string{"vpc-endpoint-type": "vpcEndpointType"},
			func(c *aws.Call, rec *store.Entry, out props.Map) {
				out["dnsOptions"] = []any{}
				out["routeTableIds"] = props.List(tablesOf(c, rec)...)
			}),
		aws.NewList("aws:ec2/getSubnets:getSubnets", []string{awstype.Subnet}, map[string]string{
			"vpc-id":            "vpcId",
			"availability-zone": "availabilityZone",
		}, ids),
		aws.NewList("aws:ec2/getSecurityGroups:getSecurityGroups", []string{awstype.SecurityGroup},
			map[string]string{"vpc-id": "vpcId"},
			map[string]string{"ids": "id", "arns": "arn", "vpcIds": "vpcId"}),
		aws.NewList("aws:vpc/getSecurityGroupRules:getSecurityGroupRules",
			[]string{awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule},
			map[string]string{"group-id": "securityGroupId"}, ids),
		aws.NewFunction("aws:vpc/getSecurityGroupRule:getSecurityGroupRule", getSecurityGroupRule),
		aws.NewFunction("aws:ec2/getVpcEndpointService:getVpcEndpointService", getVPCEndpointService),
		aws.NewFunction("aws:ec2/getVpcDhcpOptions:getVpcDhcpOptions", getDHCPOptions),
		aws.NewFunction("aws:ec2/getRouteTable:getRouteTable", getRouteTable),
		aws.NewFunction("aws:ec2/getManagedPrefixList:getManagedPrefixList", getManagedPrefixList),
		aws.NewFunction("aws:ec2/getAmi:getAmi", getImage),
		aws.NewFunction("aws:ec2/getNatGateways:getNatGateways", getNATGateways),
		aws.NewFunction("aws:ec2/getInstanceType:getInstanceType", getInstanceType),
		aws.NewFunction("aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings", getInstanceTypeOfferings),
		aws.NewFunction("aws:ec2transitgateway/getTransitGateway:getTransitGateway", getTransitGateway),
		aws.NewFunction("aws:ec2/getKeyPair:getKeyPair", getKeyPair),
		aws.NewList("aws:ec2/getVpcs:getVpcs", []string{awstype.VPC}, nil, ids),
		aws.NewList("aws:ec2/getEips:getEips", []string{awstype.ElasticIP}, nil, map[string]string{
			"allocationIds": "id",
			"publicIps":     "publicIp",
		}),
		aws.NewFunction("aws:ec2/getVpcIpamPool:getVpcIpamPool", getIPAMPool),
		aws.NewFunction("aws:ec2/getIpamPreviewNextCidr:getIpamPreviewNextCidr", getIPAMPreviewNextCIDR),
		aws.NewFunction("aws:ec2/getPublicIpv4Pool:getPublicIpv4Pool", getPublicIPv4Pool),
	}
}

// associations returns a VPC's CIDRs in the form of a lookup's result.
func associations(c *aws.Call, vpc string) []any {
	associations := []any{}
	for _, b := range blocksOf(c, vpc) {
		associations = append(associations, map[string]any{
			"associationId": b.id,
			"cidrBlock":     b.cidr.String(),
			"state":         "associated",
		})
	}
	return associations
}

// viewSubnet adds what only the lookup of a subnet returns.
func viewSubnet(c *aws.Call, rec *store.Entry, out props.Map) {
	tags := maps.Clone(out.Object("tags"))
	for _, tag := range c.Where(awstype.Tag, "resourceId", rec.ID) {
		tags[tag.State.String("key")] = tag.State.String("value")
	}
	out["state"], out["availableIpAddressCount"], out["tags"] = "available", float64(freeAddresses(c,
		rec)), map[string]any(tags)
}

// vpcOf returns the VPC of the subnet of a NAT gateway or an instance.
func vpcOf(c *aws.Call, rec *store.Entry) string {
	if subnet := c.Find(awstype.Subnet, rec.State.String("subnetId")); subnet != nil {
		return subnet.State.String("vpcId")
	}
	return ""
}

func getDHCPOptions(c *aws.Call, args ec2.LookupVpcDhcpOptionsArgs) (*ec2.LookupVpcDhcpOptionsResult, error) {
	id := aws.Deref(args.DhcpOptionsId)
	if id == ids.StableEC2("dopt", c.Account, c.Region) { // the region's default set, which every account has
		return &ec2.LookupVpcDhcpOptionsResult{Id: id, DhcpOptionsId: id, Arn: c.ARN("ec2", "dhcp-options/"+id),
			DomainName: internalDomain(c.Site), DomainNameServers: []string{"AmazonProvidedDNS"}, OwnerId: c.Account}, nil
	}
	rec, err := c.FindOne("EC2 DHCP Options Set", awstype.DHCPOptions, id, nil, func(*store.Entry) bool { return true })
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	return aws.Describe[ec2.LookupVpcDhcpOptionsResult](c, rec, props.Map{"dhcpOptionsId": rec.ID})
}

// getRouteTable finds a table by its ID, or by a subnet that is explicitly associated with it. A subnet without an
// association, which uses its VPC's main table, has none.
func getRouteTable(c *aws.Call, args ec2.LookupRouteTableArgs) (*ec2.LookupRouteTableResult, error) {
	associations := []any{}
	id := aws.Deref(args.RouteTableId)
	for _, rec := range c.All(awstype.RouteTableAssociation) {
		if id == "" && aws.Matches(rec.State, "subnetId", args.SubnetId) && args.SubnetId != nil {
			id = rec.State.String("routeTableId")
		}
		if rec.State.String("routeTableId") == id {
			associations = append(associations, map[string]any{"routeTableAssociationId": rec.ID, "routeTableId": id,
				"subnetId": rec.State.String("subnetId"), "gatewayId": rec.State.String("gatewayId")})
		}
	}
	if id == "" && args.SubnetId != nil {
		return nil, errors.New("query returned no results. Please change your search criteria and try again")
	}
	rec, err := c.FindOne("EC2 Route Table", awstype.RouteTable, id, aws.Tags(args.Tags), func(rec *store.Entry) bool { return aws.Matches(rec.State, "vpcId", args.VpcId) })
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	return aws.Describe[ec2.LookupRouteTableResult](c, rec, props.Map{
		"routeTableId": rec.ID,
		"associations": associations,
		"subnetId":     aws.Deref(args.SubnetId),
	})
}

// getManagedPrefixList finds a prefix list by its ID. No stack creates one: an account has those of others only.
func getManagedPrefixList(
	c *aws.Call, args ec2.LookupManagedPrefixListArgs,
) (*ec2.LookupManagedPrefixListResult, error) {
	rec := c.Find(awstype.PrefixList, aws.Deref(args.Id))
	if rec == nil || len(args.Filters) > 0 {
		return nil, errors.Join(errors.New("no matching EC2 Managed Prefix List found"), aws.NoFilters(len(args.Filters)))
	}
	found := &ec2.LookupManagedPrefixListResult{Id: rec.ID, AddressFamily: "IPv4", OwnerId: c.Account}
	for _, cidr := range rec.State.Strings("entries") {
		found.Entries = append(found.Entries, ec2.GetManagedPrefixListEntryType{Cidr: cidr})
	}
	return found, nil
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
	slices.SortFunc(own, func(a, b *store.Entry) int {
		return cmp.Or(cmp.Compare(b.State.String("creationDate"), a.State.String("creationDate")), cmp.Compare(a.ID, b.ID))
	})
	var images []image
	for _, rec := range own {
		images = append(images, image{rec.ID, rec.State.String("name"), rec.State.String("architecture"),
			rec.State.String("owner")})
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
	return &ec2.LookupAmiResult{Id: i.ID, ImageId: i.ID, Arn: c.ARN("ec2", "image/"+i.ID), Name: i.name,
		Architecture:    i.architecture,
		ImageOwnerAlias: i.alias(), State: "available", MostRecent: args.MostRecent, Owners: args.Owners, Public: true,
		RootDeviceType: "ebs", RootDeviceName: "/dev/xvda", VirtualizationType: "hvm"}, nil
}

func getSecurityGroupRule(c *aws.Call, args vpc.GetSecurityGroupRuleArgs) (*vpc.GetSecurityGroupRuleResult, error) {
	if err := aws.NoFilters(len(args.Filters)); err != nil {
		return nil, err
	}
	for _, token := range []string{awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule} {
		rec := c.Find(token, aws.Deref(args.SecurityGroupRuleId))
		if rec == nil {
			continue
		}
		return aws.Describe[vpc.GetSecurityGroupRuleResult](c, rec, props.Map{
			"securityGroupRuleId": rec.ID,
			"isEgress":            token == awstype.SecurityGroupEgressRule,
		})
	}
	return nil, errors.New("no matching Security Group Rule found")
}

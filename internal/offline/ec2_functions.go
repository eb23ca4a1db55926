package offline

import (
	"errors"
	"path"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

func networkFunctions() []*function {
	return []*function{
		answering("aws:ec2/getVpc:getVpc", getVPC),
		answering("aws:ec2/getSubnet:getSubnet", getSubnet),
		answering("aws:ec2/getSubnets:getSubnets", getSubnets),
		answering("aws:ec2/getSecurityGroups:getSecurityGroups", getSecurityGroups),
		answering("aws:vpc/getSecurityGroupRules:getSecurityGroupRules", getSecurityGroupRules),
		answering("aws:vpc/getSecurityGroupRule:getSecurityGroupRule", getSecurityGroupRule),
		answering("aws:ec2/getVpcEndpoint:getVpcEndpoint", getVPCEndpoint),
		answering("aws:ec2/getVpcEndpointService:getVpcEndpointService", getVPCEndpointService),
		answering("aws:ec2/getVpcDhcpOptions:getVpcDhcpOptions", getDHCPOptions),
		answering("aws:ec2/getRouteTable:getRouteTable", getRouteTable),
		answering("aws:ec2/getSecurityGroup:getSecurityGroup", getSecurityGroup),
		answering("aws:ec2/getElasticIp:getElasticIp", getElasticIP),
		answering("aws:ec2/getNatGateway:getNatGateway", getNATGateway),
		answering("aws:ec2/getAmi:getAmi", getImage),
	}
}

// associations are a VPC's CIDRs as a lookup shows them.
func (c *call) associations(vpc string) []ec2.GetVpcCidrBlockAssociation {
	var associations []ec2.GetVpcCidrBlockAssociation
	for _, b := range c.blocksOf(vpc) {
		associations = append(associations, ec2.GetVpcCidrBlockAssociation{AssociationId: b.id, CidrBlock: b.cidr.String(),
			State: "associated"})
	}
	return associations
}

func getDHCPOptions(c *call, args ec2.LookupVpcDhcpOptionsArgs) (*ec2.LookupVpcDhcpOptionsResult, error) {
	id := deref(args.DhcpOptionsId)
	if id == stableID("dopt", c.account, c.region) { // the region's own, which every account has
		return &ec2.LookupVpcDhcpOptionsResult{Id: id, DhcpOptionsId: id, Arn: c.arn("ec2", "dhcp-options/"+id),
			DomainName: c.internalDomain(), DomainNameServers: []string{"AmazonProvidedDNS"}, OwnerId: c.account}, nil
	}
	rec, err := c.only("EC2 DHCP Options Set", dhcpToken, id, nil, func(props) bool { return true })
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, noFilters(len(args.Filters)))
	}
	s := rec.State
	return &ec2.LookupVpcDhcpOptionsResult{Id: rec.ID, DhcpOptionsId: rec.ID, Arn: s.text("arn"), DomainName: s.text("domainName"),
		DomainNameServers: s.texts("domainNameServers"), NtpServers: s.texts("ntpServers"), OwnerId: s.text("ownerId"),
		Tags: tagsOf(s)}, nil
}

// getRouteTable finds a table by its ID, or by a subnet that is associated with it: a subnet that uses its VPC's main
// table without being so has none.
func getRouteTable(c *call, args ec2.LookupRouteTableArgs) (*ec2.LookupRouteTableResult, error) {
	var associations []ec2.GetRouteTableAssociationType
	id := deref(args.RouteTableId)
	for _, rec := range c.all(routeAssociationToken) {
		if id == "" && args.SubnetId != nil && rec.State.text("subnetId") == *args.SubnetId {
			id = rec.State.text("routeTableId")
		}
		if rec.State.text("routeTableId") == id {
			associations = append(associations, ec2.GetRouteTableAssociationType{RouteTableAssociationId: rec.ID,
				RouteTableId: id, SubnetId: rec.State.text("subnetId"), GatewayId: rec.State.text("gatewayId")})
		}
	}
	if id == "" && args.SubnetId != nil {
		return nil, errors.New("query returned no results. Please change your search criteria and try again")
	}
	rec, err := c.only("EC2 Route Table", routeTableToken, id, args.Tags, func(s props) bool { return matches(s, "vpcId", args.VpcId) })
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, noFilters(len(args.Filters)))
	}
	table := &call{accountTx: c.accountTx, site: c.site, kind: c.types.kinds[routeTableToken], rec: rec}
	s := table.outputs(rec)
	result := &ec2.LookupRouteTableResult{Id: rec.ID, RouteTableId: rec.ID, Arn: s.text("arn"), VpcId: s.text("vpcId"),
		OwnerId: s.text("ownerId"), Associations: associations, SubnetId: deref(args.SubnetId), Tags: tagsOf(s)}
	for _, r := range s.objects("routes") {
		result.Routes = append(result.Routes, ec2.GetRouteTableRoute{CidrBlock: r.text("cidrBlock"),
			DestinationPrefixListId: r.text("destinationPrefixListId"), GatewayId: r.text("gatewayId"),
			NatGatewayId: r.text("natGatewayId"), NetworkInterfaceId: r.text("networkInterfaceId"),
			TransitGatewayId: r.text("transitGatewayId"), VpcEndpointId: r.text("vpcEndpointId"),
			VpcPeeringConnectionId: r.text("vpcPeeringConnectionId")})
	}
	return result, nil
}

func getSecurityGroup(c *call, args ec2.LookupSecurityGroupArgs) (*ec2.LookupSecurityGroupResult, error) {
	rec, err := c.only("EC2 Security Group", securityGroupToken, deref(args.Id), args.Tags, func(s props) bool {
		return matches(s, "name", args.Name) && matches(s, "vpcId", args.VpcId)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, noFilters(len(args.Filters)))
	}
	s := rec.State
	return &ec2.LookupSecurityGroupResult{Id: rec.ID, Arn: s.text("arn"), Description: s.text("description"), Name: s.text("name"),
		VpcId: s.text("vpcId"), Tags: tagsOf(s)}, nil
}

func getElasticIP(c *call, args ec2.GetElasticIpArgs) (*ec2.GetElasticIpResult, error) {
	rec, err := c.only("EC2 EIP", eipToken, deref(args.Id), args.Tags, func(s props) bool { return matches(s, "publicIp", args.PublicIp) })
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, noFilters(len(args.Filters)))
	}
	address := &call{accountTx: c.accountTx, site: c.site, kind: c.types.kinds[eipToken], rec: rec}
	s := address.outputs(rec)
	return &ec2.GetElasticIpResult{Id: rec.ID, Arn: s.text("arn"), AssociationId: s.text("associationId"), Domain: s.text("domain"),
		InstanceId: s.text("instance"), NetworkInterfaceId: s.text("networkInterface"), PrivateIp: s.text("privateIp"),
		PublicDns: s.text("publicDns"), PublicIp: s.text("publicIp"), PublicIpv4Pool: s.text("publicIpv4Pool"), Tags: tagsOf(s)}, nil
}

func getNATGateway(c *call, args ec2.LookupNatGatewayArgs) (*ec2.LookupNatGatewayResult, error) {
	rec, err := c.only("EC2 NAT Gateway", natToken, deref(args.Id), args.Tags, func(s props) bool {
		subnet := c.find(subnetToken, s.text("subnetId"))
		return matches(s, "subnetId", args.SubnetId) && (args.State == nil || *args.State == "available") &&
			(args.VpcId == nil || subnet != nil && subnet.State.text("vpcId") == *args.VpcId)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, noFilters(len(args.Filters)))
	}
	s := rec.State
	return &ec2.LookupNatGatewayResult{Id: rec.ID, AllocationId: s.text("allocationId"), AssociationId: s.text("associationId"),
		ConnectivityType: s.text("connectivityType"), NetworkInterfaceId: s.text("networkInterfaceId"),
		PrivateIp: s.text("privateIp"), PublicIp: s.text("publicIp"), State: "available", SubnetId: s.text("subnetId"),
		VpcId: c.find(subnetToken, s.text("subnetId")).State.text("vpcId"), Tags: tagsOf(s)}, nil
}

// image is a machine image of Amazon's.
type image struct{ id, name, architecture string }

// images are those that every account sees.
func (s site) images() []image {
	var images []image
	for _, architecture := range []string{"x86_64", "arm64"} {
		name := "al2023-ami-2023.8.20250818.0-kernel-6.1-" + architecture
		images = append(images, image{stableID("ami", s.region, name), name, architecture})
	}
	return images
}

func getImage(c *call, args ec2.LookupAmiArgs) (*ec2.LookupAmiResult, error) {
	var found []image
	for _, i := range c.images() {
		fits := slices.Contains(args.Owners, "amazon")
		for _, f := range args.Filters {
			value := map[string]string{"name": i.name, "state": "available", "architecture": i.architecture, "owner-alias": "amazon"}[f.Name]
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
	case len(found) > 1 && !deref(args.MostRecent):
		return nil, errors.New("your query returned more than one result. Please try a more specific search criteria, or set `most_recent` attribute to true")
	}
	i := found[0]
	return &ec2.LookupAmiResult{Id: i.id, ImageId: i.id, Arn: c.arn("ec2", "image/"+i.id), Name: i.name, Architecture: i.architecture,
		ImageOwnerAlias: "amazon", State: "available", MostRecent: args.MostRecent, Owners: args.Owners, Public: true,
		RootDeviceType: "ebs", RootDeviceName: "/dev/xvda", VirtualizationType: "hvm"}, nil
}

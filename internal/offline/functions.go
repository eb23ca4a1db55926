package offline

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
)

// identityFunctions are the functions that tell where a provider works.
func identityFunctions() []*function {
	return []*function{
		answering("aws:index/getRegion:getRegion", getRegion),
		answering("aws:index/getPartition:getPartition", getPartition),
		answering("aws:index/getCallerIdentity:getCallerIdentity", getCallerIdentity),
		answering("aws:index/getAvailabilityZones:getAvailabilityZones", getAvailabilityZones),
		answering("aws:index/getAvailabilityZone:getAvailabilityZone", getAvailabilityZone),
	}
}

func getRegion(c *call, args aws.GetRegionArgs) (*aws.GetRegionResult, error) {
	name := cmp.Or(deref(args.Name), c.region)
	_, suffix := partitionOf(name)
	return &aws.GetRegionResult{Id: name, Name: name, Description: name, Endpoint: "ec2." + name + "." + suffix}, nil
}

func getPartition(c *call, _ aws.GetPartitionArgs) (*aws.GetPartitionResult, error) {
	reverse := "com.amazonaws"
	if c.partition == "aws-cn" {
		reverse = "cn.com.amazonaws"
	}
	return &aws.GetPartitionResult{Id: c.partition, Partition: c.partition, DnsSuffix: c.dnsSuffix,
		ReverseDnsPrefix: reverse}, nil
}

func getCallerIdentity(c *call, _ aws.GetCallerIdentityArgs) (*aws.GetCallerIdentityResult, error) {
	return &aws.GetCallerIdentityResult{Id: c.account, AccountId: c.account,
		Arn: c.globalARN("iam", "user/offline"), UserId: stableCode("AIDA", c.account)}, nil
}

func getAvailabilityZones(c *call, args aws.GetAvailabilityZonesArgs) (*aws.GetAvailabilityZonesResult, error) {
	var filters []props
	for _, f := range args.Filters {
		filters = append(filters, props{"name": f.Name, "values": list(f.Values...)})
	}
	zones, err := c.selected(filters, append(args.ExcludeNames, args.ExcludeZoneIds...))
	if err != nil {
		return nil, fmt.Errorf("fetching Availability Zones: %w", err)
	}
	result := &aws.GetAvailabilityZonesResult{Id: c.region, GroupNames: []string{c.region},
		AllAvailabilityZones: args.AllAvailabilityZones, ExcludeNames: args.ExcludeNames,
		ExcludeZoneIds: args.ExcludeZoneIds, Filters: args.Filters, State: args.State,
		Names: []string{}, ZoneIds: []string{}}
	if state := deref(args.State); state != "" && state != "available" {
		return result, nil
	}
	for _, z := range zones {
		result.Names = append(result.Names, z.name)
		result.ZoneIds = append(result.ZoneIds, z.id)
	}
	return result, nil
}

// getAvailabilityZone: a zone that is asked for is one of the region.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html
func getAvailabilityZone(c *call, args aws.GetAvailabilityZoneArgs) (*aws.GetAvailabilityZoneResult, error) {
	z, ok := c.zone(cmp.Or(deref(args.Name), deref(args.ZoneId)))
	if !ok {
		return nil, fmt.Errorf("reading EC2 Availability Zone: %w", refuse("InvalidParameterValue",
			"Invalid availability zone: [%s]", cmp.Or(deref(args.Name), deref(args.ZoneId))))
	}
	return &aws.GetAvailabilityZoneResult{Id: z.name, Name: z.name, ZoneId: z.id, Region: c.region, GroupName: c.region,
		NameSuffix: strings.TrimPrefix(z.name, c.region), NetworkBorderGroup: c.region, State: "available",
		OptInStatus: "opt-in-not-required", ZoneType: "availability-zone", AllAvailabilityZones: args.AllAvailabilityZones,
		Filters: args.Filters}, nil
}

func getZone(c *call, args route53.LookupZoneArgs) (*route53.LookupZoneResult, error) {
	if deref(args.Name) == "" && deref(args.ZoneId) == "" && deref(args.VpcId) == "" && len(args.Tags) == 0 {
		return nil, errors.New("either name, zoneId, vpcId or tags must be set")
	}
	private := deref(args.PrivateZone) || deref(args.VpcId) != ""
	var found []*record
	for _, rec := range c.all(zoneToken) {
		s := rec.State
		byID := deref(args.ZoneId) != ""
		inVPC := deref(args.VpcId) == ""
		for _, vpc := range s.objects("vpcs") {
			inVPC = inVPC || vpc.text("vpcId") == deref(args.VpcId)
		}
		if byID && rec.ID == strings.TrimPrefix(deref(args.ZoneId), "/hostedzone/") ||
			!byID && (deref(args.Name) == "" || asDomain.of(s.text("name")) == asDomain.of(deref(args.Name))) &&
				(len(s.objects("vpcs")) > 0) == private && inVPC && tagged(s, args.Tags) {
			found = append(found, rec)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no matching Route 53 Hosted Zone found (%s)",
			cmp.Or(deref(args.ZoneId), cmp.Or(deref(args.Name), deref(args.VpcId))))
	case 1:
	default:
		return nil, errors.New("multiple Route 53 Hosted Zones matched; use additional constraints to reduce matches to " +
			"a single Route 53 Hosted Zone")
	}
	s := found[0].State
	count := 0
	for _, rec := range c.all(recordToken) {
		if rec.State.text("zoneId") == found[0].ID {
			count++
		}
	}
	isPrivate := len(s.objects("vpcs")) > 0
	return &route53.LookupZoneResult{Id: found[0].ID, ZoneId: found[0].ID, Arn: s.text("arn"), Name: s.text("name"),
		Comment: s.text("comment"), CallerReference: stableCode("pulumi-", found[0].ID), NameServers: s.texts("nameServers"),
		PrimaryNameServer: s.text("primaryNameServer"), PrivateZone: &isPrivate, ResourceRecordSetCount: count,
		Tags: tagsOf(s), VpcId: deref(args.VpcId)}, nil
}

func getOIDCProvider(c *call, args iam.LookupOpenIdConnectProviderArgs) (*iam.LookupOpenIdConnectProviderResult, error) {
	for _, rec := range c.all(oidcToken) {
		s := rec.State
		if rec.ID == deref(args.Arn) || args.Url != nil && s["url"] == asURL.of(*args.Url) {
			return &iam.LookupOpenIdConnectProviderResult{Id: rec.ID, Arn: rec.ID, Url: s.text("url"),
				ClientIdLists: s.texts("clientIdLists"), ThumbprintLists: s.texts("thumbprintLists"), Tags: tagsOf(s)}, nil
		}
	}
	if arn := deref(args.Arn); arn != "" {
		return nil, fmt.Errorf("reading IAM OIDC Provider (%s): %w", arn,
			c.types.kinds[oidcToken].missing.about(arn))
	}
	return nil, fmt.Errorf("finding IAM OIDC Provider by url (%s): not found", deref(args.Url))
}

func getVPC(c *call, args ec2.LookupVpcArgs) (*ec2.LookupVpcResult, error) {
	rec, err := c.only("EC2 VPC", vpcToken, deref(args.Id), args.Tags, func(s props) bool {
		return matches(s, "cidrBlock", args.CidrBlock) && matches(s, "dhcpOptionsId", args.DhcpOptionsId) &&
			!deref(args.Default)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, noFilters(len(args.Filters)))
	}
	s := rec.State
	return &ec2.LookupVpcResult{Id: rec.ID, Arn: s.text("arn"), CidrBlock: s.text("cidrBlock"),
		CidrBlockAssociations: c.associations(rec.ID), DhcpOptionsId: s.text("dhcpOptionsId"), EnableDnsHostnames: s.yes("enableDnsHostnames"),
		EnableDnsSupport: s.yes("enableDnsSupport"), InstanceTenancy: s.text("instanceTenancy"),
		EnableNetworkAddressUsageMetrics: s.yes("enableNetworkAddressUsageMetrics"),
		MainRouteTableId:                 s.text("mainRouteTableId"), OwnerId: s.text("ownerId"), State: "available",
		Tags: tagsOf(s)}, nil
}

func getSubnet(c *call, args ec2.LookupSubnetArgs) (*ec2.LookupSubnetResult, error) {
	rec, err := c.only("EC2 Subnet", subnetToken, deref(args.Id), args.Tags, func(s props) bool {
		return matches(s, "cidrBlock", args.CidrBlock) && matches(s, "vpcId", args.VpcId) &&
			matches(s, "availabilityZone", args.AvailabilityZone) && matches(s, "availabilityZoneId", args.AvailabilityZoneId)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, noFilters(len(args.Filters)))
	}
	s := rec.State
	return &ec2.LookupSubnetResult{Id: rec.ID, Arn: s.text("arn"), CidrBlock: s.text("cidrBlock"), VpcId: s.text("vpcId"),
		AvailabilityZone: s.text("availabilityZone"), AvailabilityZoneId: s.text("availabilityZoneId"),
		AvailableIpAddressCount: c.freeAddresses(rec), MapPublicIpOnLaunch: s.yes("mapPublicIpOnLaunch"),
		OwnerId: s.text("ownerId"), PrivateDnsHostnameTypeOnLaunch: s.text("privateDnsHostnameTypeOnLaunch"),
		State: "available", Tags: tagsOf(s)}, nil
}

// only is the one resource of a type that has that ID, if one is given, and those tags, and fits.
func (c *call) only(what, token, id string, tags map[string]string, fits func(props) bool) (*record, error) {
	var found []*record
	for _, rec := range c.all(token) {
		if (id == "" || rec.ID == id) && tagged(rec.State, tags) && fits(rec.State) {
			found = append(found, rec)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no matching %s found", what)
	case 1:
		return found[0], nil
	default:
		return nil, fmt.Errorf("multiple %ss matched; use additional constraints to reduce matches to a single %s", what, what)
	}
}

func matches(s props, name string, wanted *string) bool {
	return wanted == nil || s.text(name) == *wanted
}

func noFilters(given int) error {
	if given == 0 {
		return nil
	}
	return errors.New("filters are not part of the offline account here; look the resource up by its ID or its tags")
}

package aws

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// IdentityFunctions returns the functions that return the account, region, partition and zones of a provider.
func IdentityFunctions() []*Function {
	return []*Function{
		NewFunction("aws:index/getRegion:getRegion", getRegion),
		NewFunction("aws:index/getPartition:getPartition", getPartition),
		NewFunction("aws:index/getCallerIdentity:getCallerIdentity", getCallerIdentity),
		NewFunction("aws:index/getAvailabilityZones:getAvailabilityZones", getAvailabilityZones),
		NewFunction("aws:index/getAvailabilityZone:getAvailabilityZone", getAvailabilityZone),
	}
}

func getRegion(c *Call, args aws.GetRegionArgs) (*aws.GetRegionResult, error) {
	name := cmp.Or(Deref(args.Name), c.Region)
	_, suffix := partitionOf(name)
	return &aws.GetRegionResult{Id: name, Name: name, Description: name, Endpoint: "ec2." + name + "." + suffix}, nil
}

func getPartition(c *Call, _ aws.GetPartitionArgs) (*aws.GetPartitionResult, error) {
	reverse := "com.amazonaws"
	if c.Partition == "aws-cn" {
		reverse = "cn.com.amazonaws"
	}
	return &aws.GetPartitionResult{Id: c.Partition, Partition: c.Partition, DnsSuffix: c.DNSSuffix,
		ReverseDnsPrefix: reverse}, nil
}

func getCallerIdentity(c *Call, _ aws.GetCallerIdentityArgs) (*aws.GetCallerIdentityResult, error) {
	return &aws.GetCallerIdentityResult{Id: c.Account, AccountId: c.Account,
		Arn: c.GlobalARN("iam", "user/offline"), UserId: ids.StableCode("AIDA", c.Account)}, nil
}

func getAvailabilityZones(c *Call, args aws.GetAvailabilityZonesArgs) (*aws.GetAvailabilityZonesResult, error) {
	var filters []props.Map
	for _, f := range args.Filters {
		filters = append(filters, props.Map{"name": f.Name, "values": props.List(f.Values...)})
	}
	zones, err := c.selected(filters, append(args.ExcludeNames, args.ExcludeZoneIds...))
	if err != nil {
		return nil, fmt.Errorf("fetching Availability Zones: %w", err)
	}
	result := &aws.GetAvailabilityZonesResult{Id: c.Region, GroupNames: []string{c.Region},
		AllAvailabilityZones: args.AllAvailabilityZones, ExcludeNames: args.ExcludeNames,
		ExcludeZoneIds: args.ExcludeZoneIds, Filters: args.Filters, State: args.State,
		Names: []string{}, ZoneIds: []string{}}
	if state := Deref(args.State); state != "" && state != "available" {
		return result, nil
	}
	for _, z := range zones {
		result.Names = append(result.Names, z.Name)
		result.ZoneIds = append(result.ZoneIds, z.ID)
	}
	return result, nil
}

// getAvailabilityZone: the requested zone must be one of the region.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html
func getAvailabilityZone(c *Call, args aws.GetAvailabilityZoneArgs) (*aws.GetAvailabilityZoneResult, error) {
	z, ok := c.Zone(cmp.Or(Deref(args.Name), Deref(args.ZoneId)))
	if !ok {
		return nil, fmt.Errorf("reading EC2 Availability Zone: %w", awserr.Errorf("InvalidParameterValue",
			"Invalid availability zone: [%s]", cmp.Or(Deref(args.Name), Deref(args.ZoneId))))
	}
	return &aws.GetAvailabilityZoneResult{Id: z.Name, Name: z.Name, ZoneId: z.ID, Region: c.Region, GroupName: c.Region,
		NameSuffix: strings.TrimPrefix(z.Name, c.Region), NetworkBorderGroup: c.Region, State: "available",
		OptInStatus: "opt-in-not-required", ZoneType: "availability-zone", AllAvailabilityZones: args.AllAvailabilityZones,
		Filters: args.Filters}, nil
}

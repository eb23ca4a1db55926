package ec2

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func getNATGateways(c *aws.Call, args ec2.GetNatGatewaysArgs) (*ec2.GetNatGatewaysResult, error) {
	if err := aws.NoFilters(len(args.Filters)); err != nil {
		return nil, err
	}
	result := &ec2.GetNatGatewaysResult{Id: c.Region, Ids: []string{}, Tags: args.Tags, VpcId: args.VpcId}
	for _, rec := range c.All(awstype.NATGateway) {
		if aws.Tagged(rec.State, aws.Tags(args.Tags)) && (args.VpcId == nil || vpcOf(c, rec) == *args.VpcId) {
			result.Ids = append(result.Ids, rec.ID)
		}
	}
	return result, nil
}

// getInstanceType supports a fixed list of instance families.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html
func getInstanceType(c *aws.Call, args ec2.GetInstanceTypeArgs) (*ec2.GetInstanceTypeResult, error) {
	architecture := aws.ArchitectureOf(args.InstanceType)
	if architecture == "" {
		return nil, fmt.Errorf("reading EC2 Instance Type: %w", awserr.Errorf("InvalidInstanceType",
			"The following supplied instance types do not exist: [%s]", args.InstanceType))
	}
	return &ec2.GetInstanceTypeResult{Id: args.InstanceType, InstanceType: args.InstanceType, CurrentGeneration: true,
		DefaultVcpus:           aws.VCPUs(args.InstanceType),
		SupportedArchitectures: []string{architecture}, SupportedVirtualizationTypes: []string{"hvm"}}, nil
}

// oldestZone is the ID of a zone that lacks newer families. In AWS, which families a zone lacks changes over time.
const oldestZone = "use1-az3"

func inOldestZone() []string { return []string{"t2", "t3", "m4", "m5", "c5", "r5"} }

// getInstanceTypeOfferings returns the zones, or the region, that offer instance types.
func getInstanceTypeOfferings(
	c *aws.Call,
	args ec2.GetInstanceTypeOfferingsArgs,
) (*ec2.GetInstanceTypeOfferingsResult, error) {
	locationType := aws.Deref(args.LocationType)
	if locationType == "" {
		locationType = "region"
	}
	byZone := locationType == "availability-zone"
	result := &ec2.GetInstanceTypeOfferingsResult{Id: c.Region, Filters: args.Filters, LocationType: args.LocationType,
		InstanceTypes: []string{}, Locations: []string{}, LocationTypes: []string{}}
	for _, f := range args.Filters {
		if f.Name != "instance-type" {
			return nil, errors.New("the offline account supports only the filter instance-type of instance type offerings")
		}
		for _, instanceType := range f.Values {
			if aws.ArchitectureOf(instanceType) == "" {
				continue
			}
			locations := []string{c.Region}
			if byZone {
				locations = zonesOffering(c.Site, instanceType)
			}
			for _, location := range locations {
				result.InstanceTypes, result.Locations = append(result.InstanceTypes,
					instanceType), append(result.Locations, location)
				result.LocationTypes = append(result.LocationTypes, locationType)
			}
		}
	}
	return result, nil
}

func zonesOffering(s aws.Site, instanceType string) []string {
	var names []string
	family, _, _ := strings.Cut(instanceType, ".")
	for _, z := range s.Zones() {
		if z.ID != oldestZone || slices.Contains(inOldestZone(), family) {
			names = append(names, z.Name)
		}
	}
	return names
}

// getKeyPair finds a key pair by its name.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeKeyPairs.html
func getKeyPair(c *aws.Call, args ec2.LookupKeyPairArgs) (*ec2.LookupKeyPairResult, error) {
	rec := c.Find(awstype.KeyPair, aws.Deref(args.KeyName))
	if rec == nil {
		return nil, fmt.Errorf("reading EC2 Key Pair: %w",
			awserr.Errorf("InvalidKeyPair.NotFound", "The key pair '%s' does not exist", aws.Deref(args.KeyName)))
	}
	return aws.Describe[ec2.LookupKeyPairResult](c, rec, props.Map{
		"id":        rec.State["keyPairId"],
		"keyName":   rec.ID,
		"publicKey": nil,
	})
}

// capaImageOwner publishes the images of Cluster API Provider AWS, for x86_64 in these regions.
// https://cluster-api-aws.sigs.k8s.io/topics/images/built-amis
const capaImageOwner = "819546954734"

func capaImages(s aws.Site) []image {
	if !slices.Contains([]string{"ap-northeast-1", "ap-northeast-2", "ap-south-1", "ap-southeast-1", "ap-southeast-2",
		"ca-central-1",
		"eu-central-1", "eu-west-1", "eu-west-2", "eu-west-3", "sa-east-1", "us-east-1", "us-east-2", "us-west-1",
		"us-west-2"}, s.Region) {
		return nil
	}
	var images []image
	for _, system := range []string{"ubuntu-22.04", "ubuntu-24.04", "flatcar-stable"} {
		for _, version := range []string{"v1.32.8", "v1.33.3", "v1.33.4", "v1.34.0"} {
			name := "capa-ami-" + system + "-" + version + "-1756166400"
			images = append(images, image{
				ID:           ids.StableEC2("ami", s.Region, name),
				name:         name,
				architecture: "x86_64",
				owner:        capaImageOwner,
			})
		}
	}
	return images
}

package ec2

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// The families of instance types in an offline account, by architecture, and their sizes.
var (
	instanceFamilies = map[string][]string{
		"x86_64": {"t2", "t3", "t3a", "m4", "m5", "m5a", "m6i", "m6a", "m7i", "c5", "c6i", "c7i", "r5", "r6i", "r7i"},
		"arm64":  {"t4g", "m6g", "m7g", "m8g", "c6g", "c7g", "r6g", "r7g"},
	}
	instanceSizes = []string{"nano", "micro", "small", "medium", "large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge"}
)

// ArchitectureOf returns the architecture of an instance type, or "" for one that does not exist.
func ArchitectureOf(instanceType string) string {
	family, size, _ := strings.Cut(instanceType, ".")
	for architecture, families := range instanceFamilies {
		if slices.Contains(families, family) && slices.Contains(instanceSizes, size) {
			return architecture
		}
	}
	return ""
}

// VCPUs returns the default number of vCPUs of an instance type; 2 for an unknown size.
// https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-type-specifications.html
func VCPUs(instanceType string) int {
	family, size, _ := strings.Cut(instanceType, ".")
	if times, large := strings.CutSuffix(size, "xlarge"); large {
		count, err := strconv.Atoi(cmp.Or(times, "1"))
		if err != nil {
			return 2
		}
		return 4 * count
	}
	single := family == "t2" && size != "medium" && size != "large" || !strings.HasPrefix(family, "t") && size == "medium"
	if single {
		return 1
	}
	return 2
}

// getInstanceType supports a fixed list of instance families.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html
func getInstanceType(c *aws.Call, args ec2.GetInstanceTypeArgs) (*ec2.GetInstanceTypeResult, error) {
	architecture := ArchitectureOf(args.InstanceType)
	if architecture == "" {
		return nil, fmt.Errorf("reading EC2 Instance Type: %w", awserr.Errorf("InvalidInstanceType",
			"The following supplied instance types do not exist: [%s]", args.InstanceType))
	}
	return &ec2.GetInstanceTypeResult{Id: args.InstanceType, InstanceType: args.InstanceType, CurrentGeneration: true,
		DefaultVcpus:           VCPUs(args.InstanceType),
		SupportedArchitectures: []string{architecture}, SupportedVirtualizationTypes: []string{"hvm"}}, nil
}

// oldestZone is the ID of a zone that lacks newer families. In AWS, which families a zone lacks changes over time.
const oldestZone = "use1-az3"

func inOldestZone() []string { return []string{"t2", "t3", "m4", "m5", "c5", "r5"} }

// getInstanceTypeOfferings returns the zones, or the region, that offer instance types.
func getInstanceTypeOfferings(c *aws.Call, args ec2.GetInstanceTypeOfferingsArgs) (*ec2.GetInstanceTypeOfferingsResult, error) {
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
			if ArchitectureOf(instanceType) == "" {
				continue
			}
			locations := []string{c.Region}
			if byZone {
				locations = zonesOffering(c.Site, instanceType)
			}
			for _, location := range locations {
				result.InstanceTypes, result.Locations = append(result.InstanceTypes, instanceType), append(result.Locations, location)
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
		return nil, fmt.Errorf("reading EC2 Key Pair: %w", awserr.Errorf("InvalidKeyPair.NotFound", "The key pair '%s' does not exist", aws.Deref(args.KeyName)))
	}
	return aws.Describe[ec2.LookupKeyPairResult](c, rec, props.Map{"id": rec.State["keyPairId"], "keyName": rec.ID, "publicKey": nil})
}

// capaImageOwner publishes the images of Cluster API Provider AWS, for x86_64 in these regions.
// https://cluster-api-aws.sigs.k8s.io/topics/images/built-amis
const capaImageOwner = "819546954734"

func capaImages(s aws.Site) []image {
	if !slices.Contains([]string{"ap-northeast-1", "ap-northeast-2", "ap-south-1", "ap-southeast-1", "ap-southeast-2", "ca-central-1",
		"eu-central-1", "eu-west-1", "eu-west-2", "eu-west-3", "sa-east-1", "us-east-1", "us-east-2", "us-west-1", "us-west-2"}, s.Region) {
		return nil
	}
	var images []image
	for _, system := range []string{"ubuntu-22.04", "ubuntu-24.04", "flatcar-stable"} {
		for _, version := range []string{"v1.32.8", "v1.33.3", "v1.33.4", "v1.34.0"} {
			name := "capa-ami-" + system + "-" + version + "-1756166400"
			images = append(images, image{ID: ids.StableEC2("ami", s.Region, name), name: name, architecture: "x86_64", owner: capaImageOwner})
		}
	}
	return images
}

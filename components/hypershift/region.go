package hypershift

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// regions are the regions of AWS. Source: "Available AWS Regions" in AWS's general reference, and the list of the AWS
// provider.
var regions = []string{
	"af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1",
	"ap-south-2", "ap-southeast-1",
	"ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6", "ap-southeast-7",
	"ca-central-1", "ca-west-1",
	"cn-north-1", "cn-northwest-1", "eu-central-1", "eu-central-2", "eu-isoe-west-1", "eu-north-1", "eu-south-1",
	"eu-south-2", "eu-west-1",
	"eu-west-2", "eu-west-3", "il-central-1", "me-central-1", "me-south-1", "mx-central-1", "sa-east-1", "us-east-1",
	"us-east-2",
	"us-gov-east-1", "us-gov-west-1", "us-iso-east-1", "us-iso-west-1", "us-isob-east-1", "us-west-1", "us-west-2",
}

// Regions lists the known regions of all partitions.
func Regions() []string { return slices.Clone(regions) }

// IsRegion reports whether a region is known. AWS may have opened other regions since this version.
func IsRegion(name string) bool { return slices.Contains(regions, name) }

// NearestRegion returns the known region of the name's partition that has the most similar name, the first of them by
// name.
func NearestRegion(name string) string {
	nearest, least := "", 0
	for _, region := range regions {
		if Partition(region) != Partition(name) {
			continue
		}
		if d := levenshtein.Distance(name, region, nil); nearest == "" || d < least {
			nearest, least = region, d
		}
	}
	return nearest
}

// Partition returns the partition of a region, as in its ARNs: "aws", "aws-us-gov" or "aws-cn". Source: "Amazon
// Resource Names" in the IAM user guide.
func Partition(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov"
	default:
		return "aws"
	}
}

// DNSSuffix returns the domain of AWS's services in a partition. Source: "AWS service endpoints".
func DNSSuffix(partition string) string {
	if partition == "aws-cn" {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// ConsoleHost returns the host of AWS's console in a partition.
func ConsoleHost(partition string) string {
	switch partition {
	case "aws-us-gov":
		return "console.amazonaws-us-gov.com"
	case "aws-cn":
		return "console.amazonaws.cn"
	default:
		return "console.aws.amazon.com"
	}
}

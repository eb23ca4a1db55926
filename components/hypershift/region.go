package hypershift

import (
	"github.com/agext/levenshtein"
	"github.com/hashicorp/aws-sdk-go-base/v2/endpoints"

	"github.com/hypershift-aws/hypershift-aws/internal/value/regions"
)

// Regions lists the known regions of all partitions, by name.
func Regions() []string { return regions.All() }

// IsRegion reports whether a region is known. AWS may have opened other regions since this version.
func IsRegion(name string) bool { return regions.Known(name) }

// NearestRegion returns the known region of the name's partition that has the most similar name, the first of them by
// name.
func NearestRegion(name string) string {
	nearest, least := "", 0
	for _, region := range Regions() {
		if Partition(region) != Partition(name) {
			continue
		}
		if d := levenshtein.Distance(name, region, nil); nearest == "" || d < least {
			nearest, least = region, d
		}
	}
	return nearest
}

// Partition returns the partition of a region, as in its ARNs, such as "aws", "aws-us-gov", "aws-cn" or "aws-eusc", the
// European Sovereign Cloud. A region of no known partition counts as one of "aws".
func Partition(region string) string {
	if p, known := endpoints.PartitionForRegion(endpoints.DefaultPartitions(), region); known {
		return p.ID()
	}
	return endpoints.AwsPartitionID
}

// DNSSuffix returns the domain of AWS's services in a partition.
func DNSSuffix(partition string) string {
	for _, p := range endpoints.DefaultPartitions() {
		if p.ID() == partition {
			return p.DNSSuffix()
		}
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
	case "aws-eusc":
		return "console.amazonaws-eusc.eu"
	default:
		return "console.aws.amazon.com"
	}
}

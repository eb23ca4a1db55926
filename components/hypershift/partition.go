package hypershift

import "strings"

// Partition returns the part of AWS that a region is in, which its ARNs begin with: "aws", "aws-us-gov" or
// "aws-cn". Source: "Amazon Resource Names" in the IAM user guide.
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

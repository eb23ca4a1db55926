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

package aws

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// The families of instance types in an offline account, by architecture, and their sizes.
var (
	instanceFamilies = map[string][]string{
		"x86_64": {"t2", "t3", "t3a", "m4", "m5", "m5a", "m6i", "m6a", "m7i", "c5", "c6i", "c7i", "r5", "r6i", "r7i"},
		"arm64":  {"t4g", "m6g", "m7g", "m8g", "c6g", "c7g", "r6g", "r7g"},
	}
	instanceSizes = []string{"nano", "micro", "small", "medium", "large", "xlarge", "2xlarge", "4xlarge", "8xlarge",
		"12xlarge", "16xlarge", "24xlarge"}
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

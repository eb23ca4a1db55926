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
		"x86_64": {"t2", "t3", "t3a", "m4", "m5", "m5a", "m5ad", "m5d", "m5dn", "m5n", "m5zn", "m6i", "m6id", "m6idn", "m6in",
			"m6a", "m7i", "m7i-flex", "m7a", "m8i", "c4", "c5", "c5a", "c5ad", "c5d", "c5n", "c6i", "c6id", "c6in", "c6a", "c7i",
			"c7i-flex", "c7a", "c8i", "r4", "r5", "r5a", "r5ad", "r5b", "r5d", "r5dn", "r5n", "r6i", "r6id", "r6idn", "r6in",
			"r6a", "r7i", "r7iz", "r7a", "r8i", "x1", "x1e", "x2idn", "x2iedn", "x2iezn", "z1d", "d3", "d3en", "i3", "i3en",
			"i4i", "i7ie", "g4ad", "g4dn", "g5", "g6", "g6e", "p3", "p3dn", "p4d", "p4de", "p5", "p5e", "inf1", "inf2", "trn1",
			"hpc6a", "hpc7a"},
		"arm64": {"a1", "t4g", "m6g", "m6gd", "m7g", "m7gd", "m8g", "m8gd", "c6g", "c6gd", "c6gn", "c7g", "c7gd", "c7gn",
			"c8g", "c8gd", "r6g", "r6gd", "r7g", "r7gd", "r8g", "r8gd", "x2gd", "x8g", "i4g", "i8g", "im4gn", "is4gen", "g5g",
			"hpc7g"},
	}
	instanceSizes = []string{"nano", "micro", "small", "medium", "large", "xlarge", "2xlarge", "3xlarge", "4xlarge",
		"6xlarge", "8xlarge", "9xlarge", "10xlarge", "12xlarge", "16xlarge", "18xlarge", "24xlarge", "32xlarge", "48xlarge",
		"metal", "metal-24xl", "metal-48xl"}
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

package location_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// ARNs have the partition of the provider's region.
func ExampleLocation() {
	here := location.Location{Partition: "aws-us-gov", Account: "123456789012", Region: "us-gov-west-1"}
	fmt.Println(here.ARN("ec2", "vpc/vpc-1"))
	fmt.Println(here.GlobalARN("iam", "role/demo"))
	// Output:
	// arn:aws-us-gov:ec2:us-gov-west-1:123456789012:vpc/vpc-1
	// arn:aws-us-gov:iam::123456789012:role/demo
}

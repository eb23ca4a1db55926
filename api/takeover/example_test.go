package takeover_test

import (
	"errors"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/takeover"
)

// A recovery that is not sure names its candidates, of which a person chooses one.
func ExampleAmbiguousError() {
	var err error = &takeover.AmbiguousError{
		Lookups: []takeover.Candidates{{Kind: "VPC", Name: "network-vpc", IDs: []string{"vpc-1", "vpc-2"}}},
	}
	var ambiguous *takeover.AmbiguousError
	if errors.As(err, &ambiguous) {
		fmt.Println(ambiguous)
	}
	// Output: VPC network-vpc: vpc-1 or vpc-2
}

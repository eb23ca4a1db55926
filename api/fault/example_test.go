package fault_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// A program shows each fault of a config beside the field that it is about.
func ExampleIn() {
	var faults fault.Faults
	faults.Add("network.vpcCIDR", "10.0.0.1/16", "is not a network address", "use 10.0.0.0/16")
	err := fmt.Errorf("creating the stack: %w", faults.Err())
	for _, f := range fault.In(err) {
		fmt.Println(f.Path, "|", f.Problem, "|", f.Remedy)
	}
	// Output: network.vpcCIDR | is not a network address | use 10.0.0.0/16
}

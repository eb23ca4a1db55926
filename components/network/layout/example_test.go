package layout_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

// A zone's subnets follow from the VPC's CIDR and the zone's slot alone, so that more zones move none.
func ExampleNew() {
	vpc, err := layout.New("10.0.0.0/16", nil)
	if err != nil {
		panic(err)
	}
	for slot := range 2 {
		fmt.Println(vpc.Private(slot), vpc.Public(slot))
	}
	// Output:
	// 10.0.128.0/20 10.0.0.0/20
	// 10.0.144.0/20 10.0.16.0/20
}

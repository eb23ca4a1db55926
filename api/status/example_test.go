package status_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/status"
)

// The hop at which a path breaks says what is missing.
func ExamplePath_Broken() {
	path := status.Path{Name: "node in us-east-1a -> internet", Hops: []status.Hop{
		{Kind: "subnet", Verdict: status.Holds},
		{Kind: "route table", Verdict: status.Breaks, Why: "it has no route to 0.0.0.0/0"},
	}}
	if hop := path.Broken(); hop != nil {
		fmt.Println(hop.Kind, "-", hop.Why)
	}
	// Output: route table - it has no route to 0.0.0.0/0
}

package operation_test

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/operation"
)

// A program approves plans by itself, and leaves the deletion of a cluster to a person, who enters its name.
func ExampleDecide() {
	var decide operation.Decide = func(_ context.Context, q operation.Question) (bool, error) { return q.Name == "", nil }
	for _, q := range []operation.Question{{Text: "Carry out this plan?"}, {
		Text: "Enter the cluster's name: ",
		Name: "demo",
	}} {
		yes, err := decide(context.Background(), q)
		fmt.Println(q.Text, yes, err)
	}
	// Output:
	// Carry out this plan? true <nil>
	// Enter the cluster's name:  false <nil>
}

package documents_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// The outputs infra and iam of a cluster's stack have the form of HyperShift's own documents.
func ExampleRead() {
	infra, _, err := documents.Read(map[string]any{
		"infraID": "demo-x1",
		"region":  "us-east-1",
	}, map[string]any{"infraID": "demo-x1", "region": "us-east-1"})
	if err != nil {
		panic(err)
	}
	fmt.Println(infra.InfraID, infra.Region)
	// Output: demo-x1 us-east-1
}

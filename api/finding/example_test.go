package finding_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
)

// A finding is one line of text.
func ExampleFinding() {
	fmt.Println(finding.Finding{
		Subject: "elastic IPs", Account: "123456789012", Region: "us-east-1", Problem: "3 are needed, and 1 is left",
		Remedy: "request an increase of the quota",
	})
	// Output: elastic IPs (123456789012 us-east-1): 3 are needed, and 1 is left; request an increase of the quota
}

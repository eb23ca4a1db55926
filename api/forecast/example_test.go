package forecast_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

// Open leaves out the violations that a waiver accepts.
func ExamplePolicies_Open() {
	policies := forecast.Policies{Findings: []finding.Finding{
		{Rule: "open-ingress", Name: "bastion", Waiver: "a jump host"}, {Rule: "missing-tags", Name: "network-vpc"},
	}}
	for _, f := range policies.Open() {
		fmt.Println(f.Rule, f.Name)
	}
	// Output: missing-tags network-vpc
}

package policy_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// A policy is written as values, and evaluated as AWS does.
func Example() {
	document := policy.New(policy.Allows([]string{"s3:GetObject"}, "arn:aws:s3:::documents/*"))
	for _, action := range []string{"s3:GetObject", "s3:PutObject"} {
		decision := policy.Evaluate(policy.Request{Action: action, Resource: "arn:aws:s3:::documents/keys.json"}, document)
		fmt.Println(action, decision == policy.Allowed)
	}
	// Output:
	// s3:GetObject true
	// s3:PutObject false
}

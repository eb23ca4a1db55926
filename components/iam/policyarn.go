package iam

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// ValidatePolicyARN returns a fault if arn is not the ARN of a managed policy, or belongs to another partition than the
// given one; "" allows any partition.
func ValidatePolicyARN(arn, partition string) error { return awsid.ValidatePolicyARN(arn, partition) }

// ValidateAnyPolicyARN is ValidatePolicyARN for any partition.
func ValidateAnyPolicyARN(arn string) error { return ValidatePolicyARN(arn, "") }

// CheckPolicy returns a fault if there is no policy with the ARN, or if it cannot be read.
func CheckPolicy(ctx *pulumi.Context, arn string, opt pulumi.InvokeOption) error {
	return checkPolicies(ctx, []givenPolicy{{arn: arn}}, opt)
}

// givenPolicy is a policy in args, with its path.
type givenPolicy struct{ path, arn string }

// checkedBoundary returns a permissions boundary: a plain one, which is checked with the other policies, or an output
// that fails if AWS does not have its policy.
func checkedBoundary(
	ctx *pulumi.Context,
	path string,
	boundary pulumi.StringInput,
	opt pulumi.InvokeOption,
) pulumi.StringInput {
	if input.ArePlain(boundary) {
		return boundary
	}
	checked, _ := input.Check(path, boundary, func(arn string) error { // a plain input has reported the error already
		if err := ValidateAnyPolicyARN(arn); err != nil {
			return err
		}
		return CheckPolicy(ctx, arn, opt)
	})
	return checked
}

// checkPolicies returns a fault for each policy that cannot be looked up.
func checkPolicies(ctx *pulumi.Context, policies []givenPolicy, opt pulumi.InvokeOption) error {
	var faults fault.Faults
	seen := map[string]bool{}
	for _, policy := range policies {
		if seen[policy.arn] {
			continue
		}
		seen[policy.arn] = true
		if _, err := iam.LookupPolicy(ctx, &iam.LookupPolicyArgs{Arn: &policy.arn}, opt); err != nil {
			faults.Add(policy.path, policy.arn, fmt.Sprintf("cannot be looked up: %s", awsprovider.Cause(err)),
				awsprovider.Remedy(err, "use a policy of this account or of AWS"))
		}
	}
	return faults.Err()
}

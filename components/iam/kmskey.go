package iam

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/kms"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/lookup"
)

var kmsKeyPattern = regexp.MustCompile(`^arn:aws[a-z-]*:kms:([a-z0-9-]+):[0-9]{12}:key/[A-Za-z0-9-]+$`)

// ValidateKMSKeyARN returns a fault if arn is not the ARN of a key, or belongs to another region than the given one; "" allows any region.
func ValidateKMSKeyARN(arn, region string) error {
	match := kmsKeyPattern.FindStringSubmatch(arn)
	switch {
	case match == nil:
		return &fault.Fault{
			Value: arn, Problem: "is not the ARN of a KMS key",
			Remedy: "use arn:aws:kms:<region>:<account>:key/<id>, not an alias",
		}
	case region != "" && match[1] != region:
		return &fault.Fault{
			Value: arn, Problem: "is not in region " + region + ", where etcd would use it",
			Remedy: "use a key of " + region,
		}
	}
	return nil
}

func validateAnyKMSKeyARN(arn string) error { return ValidateKMSKeyARN(arn, "") }

// checkKMSKey returns a fault for a key that cannot be looked up or cannot encrypt etcd.
func checkKMSKey(ctx *pulumi.Context, arn string, opt pulumi.InvokeOption) error {
	key, err := kms.LookupKey(ctx, &kms.LookupKeyArgs{KeyId: arn}, opt)
	if err != nil {
		return &fault.Fault{Value: arn, Problem: fmt.Sprintf("cannot be looked up: %s", lookup.Cause(err)),
			Remedy: "use a key that exists and that you may describe"}
	}
	if !key.Enabled || key.KeyUsage != "ENCRYPT_DECRYPT" || key.CustomerMasterKeySpec != "SYMMETRIC_DEFAULT" {
		return &fault.Fault{Value: arn,
			Problem: fmt.Sprintf("cannot encrypt etcd (state %s, usage %s, key spec %s)", key.KeyState, key.KeyUsage, key.CustomerMasterKeySpec),
			Remedy:  "use an enabled symmetric key with usage ENCRYPT_DECRYPT"}
	}
	return nil
}

package iam

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/kms"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// sameKey returns an option of the policy with the KMS key, which refuses updates to another key unless it is replaced
// in stages, in a preview too. An API server needs the key as long as the cluster exists.
func (b *roleSetBuilder) sameKey() (pulumi.ResourceOption, error) {
	hook, err := b.ctx.RegisterResourceHook(b.name+"-kms-key", func(args *pulumi.ResourceHookArgs) error {
		if b.args.FormerKMSKeyARNs != nil {
			return nil
		}
		return judgeKey(args.OldInputs, args.NewInputs, b.args.KMSKeyARN)
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	if err != nil {
		return nil, fmt.Errorf("registering the hook for changes of the KMS key: %w", err)
	}
	return pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeUpdate: []*pulumi.ResourceHook{hook}}), nil
}

// judgeKey refuses an update of a role's policy to another KMS key. planned is the key of the component's inputs.
func judgeKey(old, updated resource.PropertyMap, planned pulumi.StringInput) error {
	before, known := keysIn(old)
	after, afterKnown := keysIn(updated)
	if key, plain := input.Plain(planned); !afterKnown && plain {
		after, afterKnown = key, true // another value of the policy is not known yet
	}
	if !known || !afterKnown || before == after {
		return nil
	}
	return &fault.Fault{
		Path: "kmsKeyARN", Value: cmp.Or(after, noKMSKey),
		Problem: "is not the key with which the existing cluster encrypts etcd, " + cmp.Or(before, noKMSKey) +
			": what etcd stores could no longer be read; the key is replaced only in stages, which follow from the status of the cluster, and that was not read",
		Remedy: "restore the previous key",
	}
}

// noKMSKey is the value of kmsKeyARN for no key.
const noKMSKey = "none"

// keysIn returns the KMS keys that a role's policy allows to encrypt with, "" for none, and false if the policy is not
// known. A statement on all resources names no key: a role that all components share has such a statement for the
// storage driver.
func keysIn(rolePolicy resource.PropertyMap) (keys string, known bool) {
	value := rolePolicy["policy"]
	for value.IsSecret() || value.IsOutput() {
		switch {
		case value.IsSecret():
			value = value.SecretValue().Element
		case !value.OutputValue().Known:
			return "", false
		default:
			value = value.OutputValue().Element
		}
	}
	if !value.IsString() {
		return "", false
	}
	document, err := policy.Parse(value.StringValue())
	if err != nil {
		return "", false
	}
	var found []string
	for _, statement := range document.Statement {
		if slices.Contains(statement.Action, "kms:Encrypt") {
			found = append(found, statement.Resource...)
		}
	}
	found = slices.DeleteFunc(found, func(resource string) bool { return resource == everything })
	return strings.Join(found, ", "), true
}

var (
	kmsKeyPattern = regexp.MustCompile(`^arn:aws[a-z-]*:kms:([a-z0-9-]+):[0-9]{12}:key/([A-Za-z0-9-]+)$`)
	// kmsKeyID is that of an ID as KMS assigns it, and as the AWS provider demands it.
	kmsKeyID = regexp.MustCompile(`^([0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})$`)
)

// ValidateKMSKeyARN returns a fault if arn is not the ARN of a key, or belongs to another region than the given one; ""
// allows any region.
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
	if match := kmsKeyPattern.FindStringSubmatch(arn); match != nil && !kmsKeyID.MatchString(match[2]) {
		return &fault.Fault{Value: arn, Problem: "does not end with the ID of a KMS key",
			Remedy: "copy the ARN of the key: its ID is a UUID in lower case, or mrk- and 32 hexadecimal digits"}
	}
	key, err := kms.LookupKey(ctx, &kms.LookupKeyArgs{KeyId: arn}, opt)
	if err != nil {
		return &fault.Fault{Value: arn, Problem: fmt.Sprintf("cannot be looked up: %s", awsprovider.Cause(err)),
			Remedy: awsprovider.Remedy(err, "use a key that exists")}
	}
	if !key.Enabled || key.KeyUsage != "ENCRYPT_DECRYPT" || key.CustomerMasterKeySpec != "SYMMETRIC_DEFAULT" {
		return &fault.Fault{Value: arn,
			Problem: fmt.Sprintf("cannot encrypt etcd (state %s, usage %s, key spec %s)", key.KeyState, key.KeyUsage,
				key.CustomerMasterKeySpec),
			Remedy: "use an enabled symmetric key with usage ENCRYPT_DECRYPT"}
	}
	return nil
}

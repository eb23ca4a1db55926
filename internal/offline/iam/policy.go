package iam

import (
	"strings"
	"unicode"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func policyKinds() []*aws.Kind {
	return []*aws.Kind{{
		Token: awstype.Policy, Args: iam.PolicyArgs{}, State: iam.PolicyState{},
		Service: "IAM", Noun: "Policy", Calls: aws.Calls{Update: "CreatePolicyVersion"}, Global: true,
		AutoName: "name",
		ValidateFunc: map[string]func(string) string{
			"name":   nameFault(maxName),
			"path":   pathFault,
			"policy": iampolicy.JSONFault,
		},
		UniqueBy: []string{"name"},
		NotFound: awserr.Template{Code: "NoSuchEntity", Text: "Policy %s does not exist or is not attachable."},
		InUse:    awserr.Template{Code: "DeleteConflict", Text: "Cannot delete a policy attached to entities. (%s)"},
		Rules:    []aws.Rule{policyNameFree, identityPolicy, managedPolicyFits},
		ID: func(c *aws.Call) string {
			return c.GlobalARN("iam", "policy"+c.State().String("path")+c.State().String("name"))
		},
		OnCreate: func(c *aws.Call) error {
			c.State()["policyId"] = ids.Code("ANPA", 21)
			return nil
		},
		OnRead: func(c *aws.Call, out props.Map) {
			out["attachmentCount"] = float64(len(c.Where(awstype.RolePolicyAttachment, "policyArn", c.Resource.ID)))
		},
	}}
}

// policyNameFree: policy names are unique in an account.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreatePolicy.html
func policyNameFree(c *aws.Call) error {
	return nameFree(c, "A policy called %s already exists. Duplicate names are not allowed.")
}

// managedPolicyFits: a managed policy has its own size limit.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
func managedPolicyFits(c *aws.Call) error {
	if DocumentSize(c.State().String("policy")) > MaxManagedPolicy {
		return awserr.Errorf("LimitExceeded", "Cannot exceed quota for PolicySize: %d", MaxManagedPolicy)
	}
	return nil
}

// DocumentSize returns a document's length as IAM counts it: characters, without whitespace.
func DocumentSize(text string) int {
	size := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			size++
		}
	}
	return size
}

func sameFold(a, b string) bool { return a != "" && strings.EqualFold(a, b) }

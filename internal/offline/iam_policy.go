package offline

import (
	"strings"
	"unicode"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
)

const policyToken = "aws:iam/policy:Policy"

func policyKinds() []*kind {
	return []*kind{{
		token: policyToken, args: iam.PolicyArgs{}, state: iam.PolicyState{},
		service: "IAM", noun: "Policy", calls: calls{update: "CreatePolicyVersion"}, global: true,
		named:    "name",
		required: []string{"policy"},
		apart:    [][]string{{"name", "namePrefix"}},
		computed: []string{"name", "namePrefix"},
		defaults: props{"path": "/"},
		fixed:    props{"attachmentCount": 0.0, "namePrefix": ""},
		valid:    map[string]func(string) string{"name": nameFault(maxName), "path": pathFault, "policy": jsonFault},
		forms:    map[string]form{"policy": asDocument},
		replaces: []string{"description", "name", "namePrefix", "path"},
		unique:   []string{"name"},
		missing:  answer{"NoSuchEntity", "Policy %s does not exist or is not attachable."},
		inUse:    answer{"DeleteConflict", "Cannot delete a policy attached to entities. (%s)"},
		rules:    []rule{policyNameFree, identityPolicy, managedPolicyFits},
		make: func(c *call) error {
			s := c.rec.State
			c.nameIt()
			c.rec.ID = c.globalARN("iam", "policy"+s.text("path")+s.text("name"))
			s["arn"], s["policyId"] = c.rec.ID, newCode("ANPA", 21)
			return nil
		},
		view: func(c *call, out props) {
			count := 0.0
			for _, rec := range c.all(attachmentToken) {
				if rec.State.text("policyArn") == c.rec.ID {
					count++
				}
			}
			out["attachmentCount"] = count
		},
	}}
}

// managedByAWS says whether a policy is one of AWS's own, which every account has.
func managedByAWS(arn string) bool { return strings.Contains(arn, ":iam::aws:policy/") }

// policyNameFree: policy names are unique in an account.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreatePolicy.html
func policyNameFree(c *call) error {
	return nameFree(c, "A policy called %s already exists. Duplicate names are not allowed.")
}

// managedPolicyFits: a managed policy has a limit of its own.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
func managedPolicyFits(c *call) error {
	if documentSize(c.in().text("policy")) > maxManagedPolicy {
		return refuse("LimitExceeded", "Cannot exceed quota for PolicySize: %d", maxManagedPolicy)
	}
	return nil
}

// documentSize is a document's length as IAM counts it: characters, without whitespace.
func documentSize(text string) int {
	size := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			size++
		}
	}
	return size
}

func sameFold(a, b string) bool { return a != "" && strings.EqualFold(a, b) }

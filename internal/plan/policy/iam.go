package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	iampolicy "github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

func iamRules() []Rule {
	return []Rule{{
		ID:     "trust-sub-and-aud",
		Title:  "A role that service accounts assume names both their subject and their audience.",
		Remedy: "add StringEquals conditions on the issuer's :sub and :aud to the trust policy",
		Checks: []string{"prowler iam_role_cross_service_confused_deputy_prevention"},
		types:  []string{awstype.Role},
		broken: func(r props.Resource) []string {
			return eachStatement(r, "assumeRolePolicy", func(s iampolicy.Statement) string {
				if s.Effect != iampolicy.Allow || !slices.Contains(s.Action, "sts:AssumeRoleWithWebIdentity") {
					return ""
				}
				var missing []string
				for _, key := range []string{":sub", ":aud"} {
					if !limits(s, key) {
						missing = append(missing, key)
					}
				}
				if missing == nil {
					return ""
				}
				return fmt.Sprintf("the trust policy allows any token of the issuer with another %s to assume the role", strings.Join(missing, " and "))
			})
		},
	}, {
		ID:     "trust-anyone",
		Title:  "No role can be assumed by every AWS account.",
		Remedy: "name the accounts or roles in the trust policy's Principal",
		Checks: []string{"checkov CKV_AWS_60", "checkov CKV_AWS_61", "cfn-nag F2"},
		types:  []string{awstype.Role},
		broken: func(r props.Resource) []string {
			return eachStatement(r, "assumeRolePolicy", func(s iampolicy.Statement) string {
				if toAnyone(s) && len(s.Condition) == 0 {
					return "the trust policy allows every AWS account to assume the role"
				}
				return ""
			})
		},
	}, {
		ID:     "pass-role-on-all",
		Title:  "iam:PassRole is allowed on named roles only.",
		Remedy: "use the ARNs of the roles that are to be passed as Resource",
		Checks: []string{"checkov CKV_AWS_110", "checkov CKV_AWS_286", "cfn-nag F39",
			"prowler iam_inline_policy_allows_privilege_escalation"},
		types: []string{awstype.RolePolicy, awstype.UserPolicy, awstype.Policy},
		broken: func(r props.Resource) []string {
			return eachStatement(r, "policy", func(s iampolicy.Statement) string {
				passes := func(action string) bool { return action == "iam:PassRole" || action == "iam:*" }
				if s.Effect == iampolicy.Allow && slices.ContainsFunc(s.Action, passes) && slices.Contains(s.Resource, "*") {
					return "the policy allows iam:PassRole on every role of the account"
				}
				return ""
			})
		},
	}, {
		ID:     "administrator",
		Title:  "No policy allows every action.",
		Remedy: "list the required actions",
		Checks: []string{"checkov CKV_AWS_62", "checkov CKV_AWS_63", "trivy AWS-0057",
			"prowler iam_inline_policy_no_administrative_privileges", "cfn-nag F3", "CIS AWS 3.0 1.16"},
		types: []string{awstype.RolePolicy, awstype.UserPolicy, awstype.Policy},
		broken: func(r props.Resource) []string {
			return eachStatement(r, "policy", func(s iampolicy.Statement) string {
				if s.Effect == iampolicy.Allow && (slices.Contains(s.Action, "*") || len(s.NotAction) > 0) {
					return "the policy allows every action on " + strings.Join(s.Resource, ", ")
				}
				return ""
			})
		},
	}}
}

// eachStatement collects the errors in the statements of the policy document in an input; none if it is unknown.
func eachStatement(r props.Resource, input string, wrong func(iampolicy.Statement) string) []string {
	var document iampolicy.Document
	if json.Unmarshal([]byte(r.String(input)), &document) != nil {
		return nil
	}
	var found []string
	for _, s := range document.Statement {
		if sentence := wrong(s); sentence != "" {
			found = append(found, sentence)
		}
	}
	return found
}

// toAnyone reports whether a statement allows something to everybody.
func toAnyone(s iampolicy.Statement) bool {
	return s.Effect == iampolicy.Allow && s.Principal != nil && (s.Principal.Anyone ||
		slices.Contains(s.Principal.AWS, "*"))
}

// limits reports whether a condition of a statement lists the values of a key with the suffix.
func limits(s iampolicy.Statement, key string) bool {
	for operator, keys := range s.Condition {
		if !strings.Contains(operator, "StringEquals") && !strings.Contains(operator, "StringLike") ||
			strings.Contains(operator, "Not") {
			continue
		}
		for name, values := range keys {
			if strings.HasSuffix(name, key) && len(values) > 0 && !slices.Contains(values, "*") {
				return true
			}
		}
	}
	return false
}

// documents are the inputs with policy documents, by type.
var documents = map[string]string{
	awstype.BucketPolicy: "policy", awstype.Role: "assumeRolePolicy", awstype.RolePolicy: "policy",
	awstype.UserPolicy: "policy", awstype.Policy: "policy",
}

package policy

import (
	"fmt"
	"slices"
	"strings"

	iampolicy "github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
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
		Checks: []string{"checkov CKV_AWS_110", "checkov CKV_AWS_286", "cfn-nag F39", "prowler iam_inline_policy_allows_privilege_escalation"},
		types:  []string{awstype.RolePolicy, awstype.UserPolicy, awstype.Policy},
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
		Checks: []string{"checkov CKV_AWS_62", "checkov CKV_AWS_63", "trivy AWS-0057", "prowler iam_inline_policy_no_administrative_privileges", "cfn-nag F3", "CIS AWS 3.0 1.16"},
		types:  []string{awstype.RolePolicy, awstype.UserPolicy, awstype.Policy},
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

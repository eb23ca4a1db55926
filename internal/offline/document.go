package offline

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// policyFault says what keeps text from being a policy document, "" if it is one.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
func policyFault(text string) string {
	document, err := policy.Parse(text)
	switch {
	case err != nil:
		return "Syntax errors in policy."
	case document.Version != "" && document.Version != policy.Version && document.Version != "2008-10-17":
		return "The policy document Version must be 2012-10-17 or 2008-10-17."
	case len(document.Statement) == 0:
		return "Missing required field Statement"
	}
	for _, s := range document.Statement {
		if s.Effect != policy.Allow && s.Effect != policy.Deny {
			return fmt.Sprintf("Invalid effect: %s", s.Effect)
		}
		if s.Action == nil && s.NotAction == nil {
			return "Missing required field Action"
		}
		for _, action := range slices.Concat(s.Action, s.NotAction) {
			if fault := actionFault(action); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// identityPolicyFault is policyFault for a policy of a role: each statement has resources, and none has a principal.
func identityPolicyFault(text string) string {
	if fault := policyFault(text); fault != "" {
		return fault
	}
	for _, s := range statementsOf(text) {
		if !hasResource(s) {
			return "Policy statement must contain resources."
		}
		if hasPrincipal(s) {
			return "Policy document should not specify a principal."
		}
	}
	return ""
}

// trustPolicyFault is policyFault for a role's trust policy: each statement has a principal, and none has resources.
func trustPolicyFault(text string) string {
	if fault := policyFault(text); fault != "" {
		return fault
	}
	for _, s := range statementsOf(text) {
		if !hasPrincipal(s) {
			return "AssumeRole policy must contain a principal."
		}
		if hasResource(s) {
			return "Has prohibited field Resource"
		}
	}
	return ""
}

func hasPrincipal(s policy.Statement) bool { return s.Principal != nil || s.NotPrincipal != nil }

func hasResource(s policy.Statement) bool { return s.Resource != nil || s.NotResource != nil }

// statementsOf are those of a text in which policyFault finds nothing.
func statementsOf(text string) []policy.Statement {
	document, err := policy.Parse(text)
	if err != nil {
		return nil
	}
	return document.Statement
}

// jsonFault says that text is no JSON.
func jsonFault(text string) string {
	if !json.Valid([]byte(text)) {
		return "contains an invalid JSON policy"
	}
	return ""
}

// canonicalJSON is what a JSON document says: keys without order, and, as in policies, lists of strings without order
// and a list of one as the one.
func canonicalJSON(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	return canonical(v)
}

func canonical(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := make(map[string]any, len(v))
		for k, e := range v {
			o[k] = canonical(e)
		}
		return o
	case []any:
		l := make([]any, len(v))
		allText := true
		for i, e := range v {
			l[i] = canonical(e)
			_, text := e.(string)
			allText = allText && text
		}
		if len(l) == 1 {
			return l[0]
		}
		if allText {
			slices.SortFunc(l, func(a, b any) int {
				if a.(string) < b.(string) {
					return -1
				}
				return 1
			})
		}
		return l
	default:
		return v
	}
}

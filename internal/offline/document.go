package offline

import (
	"encoding/json"
	"fmt"
	"slices"
)

// policyFault says what keeps text from being a policy document, "" if it is one.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
func policyFault(text string) string {
	var document struct {
		Version   string
		Statement json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return "Syntax errors in policy."
	}
	if document.Version != "" && document.Version != "2012-10-17" && document.Version != "2008-10-17" {
		return "The policy document Version must be 2012-10-17 or 2008-10-17."
	}
	statements, err := statementsOf(document.Statement)
	if err != nil || len(statements) == 0 {
		return "Missing required field Statement"
	}
	for _, s := range statements {
		if effect, _ := s["Effect"].(string); effect != "Allow" && effect != "Deny" {
			return fmt.Sprintf("Invalid effect: %v", s["Effect"])
		}
		if !props(s).has("Action") && !props(s).has("NotAction") {
			return "Missing required field Action"
		}
		for _, name := range []string{"Action", "NotAction"} {
			if fault := actionFault(s[name]); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// identityPolicyFault is policyFault for a policy of a role: each statement says on what, and none says for whom.
func identityPolicyFault(text string) string {
	if fault := policyFault(text); fault != "" {
		return fault
	}
	for _, s := range mustStatements(text) {
		if !s.has("Resource") && !s.has("NotResource") {
			return "Policy statement must contain resources."
		}
		if s.has("Principal") || s.has("NotPrincipal") {
			return "Policy document should not specify a principal."
		}
	}
	return ""
}

// trustPolicyFault is policyFault for a role's trust policy: each statement says for whom, and none says on what.
func trustPolicyFault(text string) string {
	if fault := policyFault(text); fault != "" {
		return fault
	}
	for _, s := range mustStatements(text) {
		if !s.has("Principal") && !s.has("NotPrincipal") {
			return "AssumeRole policy must contain a principal."
		}
		if s.has("Resource") || s.has("NotResource") {
			return "Has prohibited field Resource"
		}
	}
	return ""
}

// statementsOf reads one statement or a list of them.
func statementsOf(raw json.RawMessage) ([]map[string]any, error) {
	var many []map[string]any
	if json.Unmarshal(raw, &many) == nil {
		return many, nil
	}
	var one map[string]any
	err := json.Unmarshal(raw, &one)
	return []map[string]any{one}, err
}

// mustStatements are those of a text that policyFault has found well.
func mustStatements(text string) []props {
	var document struct{ Statement json.RawMessage }
	_ = json.Unmarshal([]byte(text), &document)
	statements, _ := statementsOf(document.Statement)
	list := make([]props, len(statements))
	for i, s := range statements {
		list[i] = s
	}
	return list
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

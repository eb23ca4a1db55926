package permissions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// joined returns equivalent statements, fewer and in a fixed order: statements with the same actions are merged with
// all their resources, then those with the same resources with all their actions.
func joined(statements []policy.Statement) []policy.Statement {
	resources := map[string][]string{}
	var single []policy.Statement
	for _, s := range statements {
		for _, action := range s.Action {
			one := policy.Statement{Effect: s.Effect, Action: []string{action}, Condition: s.Condition}
			key := keyOf(one)
			if _, known := resources[key]; !known {
				single = append(single, one)
			}
			resources[key] = append(resources[key], s.Resource...)
		}
	}
	actions := map[string][]string{}
	var out []policy.Statement
	for _, s := range single {
		same := policy.Statement{Effect: s.Effect, Resource: widest(resources[keyOf(s)]), Condition: s.Condition}
		key := keyOf(same)
		if _, known := actions[key]; !known {
			out = append(out, same)
		}
		actions[key] = append(actions[key], s.Action...)
	}
	for i := range out {
		out[i].Action = unique(actions[keyOf(out[i])])
	}
	slices.SortFunc(out, func(a, b policy.Statement) int { return strings.Compare(keyOf(a), keyOf(b)) })
	return out
}

// keyOf returns a statement's text, for comparison.
func keyOf(s policy.Statement) string {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%+v", s) // strings and lists of strings can always be formatted
	}
	return string(text)
}

// MaxPolicySize is the longest managed policy, in characters without whitespace. Source: "IAM and AWS STS
// quotas".
const MaxPolicySize = 6144

// split distributes statements to as few documents as their order allows, each within MaxPolicySize.
func split(statements []policy.Statement) []policy.Document {
	var documents []policy.Document
	var current []policy.Statement
	for _, s := range halves(statements) {
		if longer := append(slices.Clone(current), s); size(longer) > MaxPolicySize && len(current) > 0 {
			documents, current = append(documents, policy.New(current...)), nil
		}
		current = append(current, s)
	}
	if len(current) > 0 {
		documents = append(documents, policy.New(current...))
	}
	return documents
}

// halves splits statements that are too long for one document.
func halves(statements []policy.Statement) []policy.Statement {
	var out []policy.Statement
	for _, s := range statements {
		if size([]policy.Statement{s}) <= MaxPolicySize || len(s.Resource) < 2 && len(s.Action) < 2 {
			out = append(out, s)
			continue
		}
		first, second := s, s
		if len(s.Resource) > len(s.Action) {
			half := len(s.Resource) / 2
			first.Resource, second.Resource = s.Resource[:half], s.Resource[half:]
		} else {
			half := len(s.Action) / 2
			first.Action, second.Action = s.Action[:half], s.Action[half:]
		}
		out = append(out, halves([]policy.Statement{first, second})...)
	}
	return out
}

// size returns the length of a document as IAM counts it, without whitespace.
func size(statements []policy.Statement) int {
	return len(policy.New(statements...).JSON())
}

package iam

import (
	"encoding/json"
	"reflect"
	"slices"
)

// Document is an IAM policy document. Source: "IAM JSON policy elements reference" in the IAM user
// guide.
type Document struct {
	Version   string
	Statement []Statement
}

// Statement is one permission. Principal is for the policies of roles and other resources; Resource for
// all but trust policies.
type Statement struct {
	Effect    Effect
	Principal *Principal `json:",omitempty"`
	Action    []string
	Resource  []string  `json:",omitempty"`
	Condition Condition `json:",omitempty"`
}

// Effect is what a statement does.
type Effect string

const (
	// Allow permits what the statement names.
	Allow Effect = "Allow"
	// Deny forbids what the statement names, whatever else permits it.
	Deny Effect = "Deny"
)

// Principal is whom a statement of a resource's policy is about.
type Principal struct {
	// AWS is the ARN of a role, user or account, or "*" for anyone.
	AWS string `json:",omitempty"`
	// Federated is the ARN of an OIDC provider.
	Federated string `json:",omitempty"`
	// Service is the domain of an AWS service.
	Service string `json:",omitempty"`
}

// Condition maps an operator, such as "StringEquals", to keys and the values that match.
type Condition map[string]map[string][]string

// NewDocument is a document of the given statements in IAM's current policy language.
func NewDocument(statements ...Statement) Document {
	return Document{Version: "2012-10-17", Statement: statements}
}

// JSON is the document as IAM takes it.
func (d Document) JSON() string {
	text, _ := json.Marshal(d) // strings and lists of strings can always be written
	return string(text)
}

func allow(actions []string, resources ...string) Statement {
	return Statement{Effect: Allow, Action: actions, Resource: resources}
}

// on narrows a statement to requests that match a condition, beside those that it has already.
func (s Statement) on(operator, key string, values ...string) Statement {
	if s.Condition == nil {
		s.Condition = Condition{}
	}
	if s.Condition[operator] == nil {
		s.Condition[operator] = map[string][]string{}
	}
	s.Condition[operator][key] = values
	return s
}

// merged joins the statements that allow actions on the same resources under the same condition, in the
// order in which they first come.
func merged(statements []Statement) []Statement {
	var out []Statement
	for _, statement := range statements {
		i := slices.IndexFunc(out, func(other Statement) bool { return other.differsInActionsAlone(statement) })
		if i < 0 {
			statement.Action = slices.Clone(statement.Action)
			out = append(out, statement)
			continue
		}
		for _, action := range statement.Action {
			if !slices.Contains(out[i].Action, action) {
				out[i].Action = append(out[i].Action, action)
			}
		}
	}
	return out
}

func (s Statement) differsInActionsAlone(other Statement) bool {
	s.Action, other.Action = nil, nil
	return reflect.DeepEqual(s, other)
}

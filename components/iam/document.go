package iam

import "encoding/json"

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

// on narrows a statement to requests that match a condition.
func (s Statement) on(operator, key string, values ...string) Statement {
	s.Condition = Condition{operator: {key: values}}
	return s
}

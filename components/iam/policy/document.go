// Package policy represents IAM policy documents as Go values. It marshals and parses their JSON, and evaluates them as
// AWS documents. It makes no calls.
//
// Sources: "IAM JSON policy elements reference", "Policy evaluation logic" and "Multivalued context keys" in
// the IAM user guide.
package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Version is the current version of IAM's policy language. Documents without a version have version 2008-10-17, which
// has no policy variables.
const Version = "2012-10-17"

// Document is an IAM policy document.
type Document struct {
	// Version is the version of the policy language; "" counts as 2008-10-17.
	Version string
	// ID is an optional name of the document.
	ID string `json:"Id,omitempty"`
	// Statement are the statements, in the order of the document.
	Statement Statements
}

// Statements are marshalled as a list, and parsed from a list or a single statement.
type Statements []Statement

// Statement allows or denies actions. Principal and NotPrincipal are for the policies of roles and other resources;
// Resource and NotResource for all policies except trust policies.
type Statement struct {
	// SID is an optional name of the statement.
	SID string `json:"Sid,omitempty"`
	// Effect is Allow or Deny.
	Effect Effect
	// Principal is whom the statement is about, and NotPrincipal all others; nil for the policy of a user or role.
	Principal    *Principal `json:",omitempty"`
	NotPrincipal *Principal `json:",omitempty"`
	// Action are the actions, "ec2:Describe*", and NotAction all others.
	Action    List `json:",omitempty"`
	NotAction List `json:",omitempty"`
	// Resource are the ARNs that the actions are on, with wildcards, and NotResource all others.
	Resource    List `json:",omitempty"`
	NotResource List `json:",omitempty"`
	// Condition must hold for a request; nil if there is none.
	Condition Condition `json:",omitempty"`
}

// Effect is a statement's effect.
type Effect string

const (
	// Allow allows what the statement describes.
	Allow Effect = "Allow"
	// Deny denies what the statement describes, even if other statements allow it.
	Deny Effect = "Deny"
)

// Principal is the principal of a statement in a resource-based policy.
type Principal struct {
	// Anyone is any principal, written "*". The other fields are then ignored.
	Anyone bool `json:"-"`
	// AWS are ARNs of roles and users, accounts by ID or by the ARN of their root, or "*" for all AWS principals.
	AWS Names `json:",omitempty"`
	// Federated are ARNs of OIDC and SAML providers, and domains of identity providers.
	Federated Names `json:",omitempty"`
	// Service are the domains of AWS services, such as "ec2.amazonaws.com".
	Service Names `json:",omitempty"`
}

// Condition maps an operator, such as "StringEquals", to keys and the values that match. All operators and all keys
// must match; of a key's values, one must.
type Condition map[string]map[string]Values

// List is a list of actions or resources. It is marshalled as a list, and parsed from a list or a single string.
type List []string

// Names is a list of principals. It is marshalled as a string if it has one item, and parsed like List.
type Names []string

// Values are the values of a condition's key. They are marshalled like List; booleans and numbers are parsed as
// strings.
type Values []string

var (
	_ json.Unmarshaler = (*Statements)(nil)
	_ json.Unmarshaler = (*Principal)(nil)
	_ json.Marshaler   = Principal{}
	_ json.Unmarshaler = (*List)(nil)
	_ json.Unmarshaler = (*Names)(nil)
	_ json.Marshaler   = Names(nil)
	_ json.Unmarshaler = (*Values)(nil)
)

// New returns a document with the given statements in the current version.
func New(statements ...Statement) Document {
	return Document{Version: Version, Statement: statements}
}

// JSON returns the document as JSON without whitespace. Equal documents have equal texts.
func (d Document) JSON() string {
	text, _ := json.Marshal(d) // strings, lists and maps of strings always marshal
	return string(text)
}

// WebIdentity returns a trust policy that allows the subjects of an OIDC provider's tokens, issued for one of the
// audiences, to assume a role.
func WebIdentity(providerARN, issuerURL string, audiences, subjects []string) Document {
	issuer := strings.TrimPrefix(issuerURL, "https://")
	return New(Statement{
		Effect:    Allow,
		Principal: &Principal{Federated: Names{providerARN}},
		Action:    []string{"sts:AssumeRoleWithWebIdentity"},
		Condition: Condition{"StringEquals": {issuer + ":sub": subjects, issuer + ":aud": audiences}},
	})
}

// Parse parses a document. It fails on invalid JSON, on an element of the wrong type and on an unknown condition
// operator.
func Parse(text string) (Document, error) {
	var d Document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return Document{}, fmt.Errorf("reading a policy document: %w", err)
	}
	for i, s := range d.Statement {
		for name := range s.Condition {
			if _, ok := operatorNamed(name); !ok {
				return Document{}, fmt.Errorf("reading a policy document: statement %d: unknown condition operator %q", i+1, name)
			}
		}
	}
	return d, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Statements) UnmarshalJSON(text []byte) error {
	var many []Statement
	if len(text) > 0 && text[0] == '[' {
		err := json.Unmarshal(text, &many)
		*s = many
		return err
	}
	var one Statement
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	*s = Statements{one}
	return nil
}

// principal is a Principal without its methods.
type principal Principal

// MarshalJSON implements json.Marshaler.
func (p Principal) MarshalJSON() ([]byte, error) {
	if p.Anyone {
		return []byte(`"*"`), nil
	}
	return json.Marshal(principal(p))
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Principal) UnmarshalJSON(text []byte) error {
	if string(text) == `"*"` {
		*p = Principal{Anyone: true}
		return nil
	}
	*p = Principal{}
	return json.Unmarshal(text, (*principal)(p))
}

// MarshalJSON implements json.Marshaler.
func (n Names) MarshalJSON() ([]byte, error) {
	if len(n) == 1 {
		return json.Marshal(n[0])
	}
	return json.Marshal([]string(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *List) UnmarshalJSON(text []byte) error {
	read, err := oneOrMany(text, false)
	*l = read
	return err
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Names) UnmarshalJSON(text []byte) error {
	read, err := oneOrMany(text, false)
	*n = read
	return err
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Values) UnmarshalJSON(text []byte) error {
	read, err := oneOrMany(text, true)
	*v = read
	return err
}

// oneOrMany parses a list, or one item of it. With scalars, it accepts booleans and numbers.
func oneOrMany(text []byte, scalars bool) ([]string, error) {
	items := []json.RawMessage{text}
	if len(text) > 0 && text[0] == '[' {
		if err := json.Unmarshal(text, &items); err != nil {
			return nil, err
		}
	}
	read := make([]string, len(items))
	for i, item := range items {
		switch {
		case item[0] == '"':
			if err := json.Unmarshal(item, &read[i]); err != nil {
				return nil, err
			}
		case scalars && item[0] != '{' && item[0] != '[' && string(item) != "null":
			read[i] = string(item)
		default:
			return nil, errors.New("expected a string or a list of strings")
		}
	}
	return read, nil
}

// Allows returns a statement that allows the actions on the resources.
func Allows(actions []string, resources ...string) Statement {
	return Statement{Effect: Allow, Action: actions, Resource: resources}
}

// When returns the statement with one more condition: the key must have one of the values.
func (s Statement) When(operator, key string, values ...string) Statement {
	condition := Condition{}
	for name, keys := range s.Condition {
		condition[name] = maps.Clone(keys)
	}
	if condition[operator] == nil {
		condition[operator] = map[string]Values{}
	}
	condition[operator][key] = values
	s.Condition = condition
	return s
}

// Merge merges statements that differ only in their actions, in the order of their first occurrence.
func Merge(statements []Statement) []Statement {
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

// Needed is one of the policies that a user needs in an account.
type Needed struct {
	// Account is the account's ID, "" for the stack's own account if its config does not name it.
	Account string
	// Document is the policy, short enough for a managed policy: at most 6,144 characters.
	Document Document
}

// Part is a part of a cluster that a separate team may run: "network" or "iam".
type Part string

// Role is a role with its documents, as a stack creates it or needs it from the team that does. What is not known
// before the stack's first update is a placeholder in braces, such as "{ID of hosted zone demo.example.com}".
type Role struct {
	// Name is the role's name, and Path its path.
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	// Key is the key of existing.roles that takes the role's ARN, "" for a role that no key takes.
	Key string `json:"key,omitempty"`
	// InstanceProfile is the name of the instance profile that has the role, "" for none.
	InstanceProfile string `json:"instanceProfile,omitempty"`
	// Account is the account's ID, "" for the stack's own account if its config does not name it.
	Account string `json:"account,omitempty"`
	// PermissionsBoundary is the ARN of its permissions boundary, "" for none.
	PermissionsBoundary string `json:"permissionsBoundary,omitempty"`
	// Tags are its tags.
	Tags map[string]string `json:"tags,omitempty"`
	// Trust is the trust policy.
	Trust Document `json:"trust"`
	// Policies are its inline policies by their names, and Attached the ARNs of managed policies.
	Policies map[string]Document `json:"policies,omitempty"`
	Attached []string            `json:"attached,omitempty"`
}

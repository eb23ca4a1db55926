package policy

import (
	"encoding/json"
	"slices"
	"strings"
)

// statement is what rules read of a statement of an IAM policy.
type statement struct {
	Effect    string
	Principal principal
	Action    list
	NotAction list
	Resource  list
	Condition map[string]map[string]list
}

// list is a text or a list of texts.
type list []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *list) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*l = list{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(l))
}

// principal is whom a statement is about, by kind: "AWS", "Federated", "Service"; "*" for anyone.
type principal map[string]list

// UnmarshalJSON implements json.Unmarshaler.
func (p *principal) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*p = principal{"AWS": {one}}
		return nil
	}
	return json.Unmarshal(text, (*map[string]list)(p))
}

// statements reads the policy document in an input; none where it is unknown or no document.
func statements(r Resource, input string) []statement {
	var document struct{ Statement json.RawMessage }
	if json.Unmarshal([]byte(r.text(input)), &document) != nil {
		return nil
	}
	var several []statement
	if json.Unmarshal(document.Statement, &several) == nil {
		return several
	}
	var one statement
	if json.Unmarshal(document.Statement, &one) == nil {
		return []statement{one}
	}
	return nil
}

// eachStatement collects what is wrong with the statements of the document in an input.
func eachStatement(r Resource, input string, wrong func(statement) string) []string {
	var found []string
	for _, s := range statements(r, input) {
		if sentence := wrong(s); sentence != "" {
			found = append(found, sentence)
		}
	}
	return found
}

// toAnyone is whether the statement allows something to everybody.
func (s statement) toAnyone() bool {
	return s.Effect == "Allow" && slices.Contains(s.Principal["AWS"], "*")
}

// limits is whether a condition names the values of a key that ends so.
func (s statement) limits(key string) bool {
	for operator, keys := range s.Condition {
		if !strings.Contains(operator, "StringEquals") && !strings.Contains(operator, "StringLike") || strings.Contains(operator, "Not") {
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

// documents are the inputs that hold policy documents, by type.
var documents = map[string]string{
	typeBucketPolicy: "policy", typeRole: "assumeRolePolicy", typeRolePolicy: "policy", typeUserPolicy: "policy", typePolicy: "policy",
}

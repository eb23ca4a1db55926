package permissions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// arns returns the ARNs of a scope for a need. all are all needs of the stack.
func arns(s awstype.Scope, n Need, all []Need) []string {
	if text := n.text(s.ARNInput, ""); strings.HasPrefix(text, "arn:") {
		return []string{text}
	}
	if s.Owner == "" {
		return n.fillAll(s.ARNs)
	}
	name := n.text(s.Input, "")
	var list []string
	for _, other := range all {
		if other.Token == s.Owner && other.Account == n.Account && (name == "" || other.text(s.Key, "") == name) {
			list = append(list, other.fillAll(s.ARNs)...)
		}
	}
	if len(list) > 0 {
		return unique(list)
	}
	// The owner is not in the stack: only its name is known.
	for _, arn := range s.ARNs {
		list = append(list, n.fill(strings.ReplaceAll(arn, "{"+s.Key+"}", n.text(s.Input, "*"))))
	}
	return list
}

// condition returns a condition for a need, or nil for none.
func condition(c awstype.Condition, n Need) policy.Condition {
	values := c.Values
	if value := n.text(c.Input, ""); value != "" {
		values = []string{value}
	}
	if len(values) == 0 {
		return nil
	}
	return policy.Condition{c.Operator: {c.Key: values}}
}

func (n Need) fillAll(templates []string) []string {
	var filled []string
	for _, template := range templates {
		filled = append(filled, n.fill(template))
	}
	return filled
}

// fill replaces the placeholders in the template of an ARN. Unknown values become wildcards.
func (n Need) fill(template string) string {
	return placeholder.ReplaceAllStringFunc(template, func(match string) string {
		switch name := strings.Trim(match, "{}"); name {
		case "partition":
			return n.Partition
		case "region":
			return n.Region
		case "account":
			return n.account()
		default:
			return strings.TrimPrefix(n.text(name, "*"), "https://")
		}
	})
}

// account returns the account's ID, or a wildcard if the config does not name it.
func (n Need) account() string {
	if n.AccountNamed {
		return n.Account
	}
	return "*"
}

// text returns the text of an input, or otherwise if it is unknown.
func (n Need) text(name, otherwise string) string {
	if text, ok := n.Inputs[name].(string); ok && text != "" {
		return text
	}
	return otherwise
}

func unique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// widest returns the ARNs that no other one covers: "*" covers all.
func widest(arns []string) []string {
	if slices.Contains(arns, "*") {
		return []string{"*"}
	}
	return unique(arns)
}

package awstype

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// Loss is what a change in place takes from those who use an instance.
type Loss struct {
	// Input is the input that changes.
	Input string
	// What is what is lost: "it no longer lets role arn:aws:iam::123456789012:role/x assume it".
	What string
}

// policyLosses returns a function that finds what a policy in an input no longer allows to a principal. verb says what
// the policy is about: "be assumed by". A document that is not known yet loses nothing.
func policyLosses(input, verb string) func(before, after map[string]any) []Loss {
	return func(before, after map[string]any) []Loss {
		was, is := parsed(before[input]), parsed(after[input])
		if was == nil || is == nil {
			return nil
		}
		var lost []Loss
		for _, statement := range was.Statement {
			for _, grant := range grants(statement) {
				covered := slices.ContainsFunc(is.Statement, func(s policy.Statement) bool {
					return slices.ContainsFunc(grants(s), grant.within)
				})
				if l := (Loss{input, "it could no longer " + verb + " " + grant.String()}); !covered && !slices.Contains(lost, l) {
					lost = append(lost, l)
				}
			}
		}
		return lost
	}
}

func parsed(text any) *policy.Document {
	given, _ := text.(string)
	document, err := policy.Parse(given)
	if err != nil {
		return nil
	}
	return &document
}

// grant is what a statement allows to one principal with one subject.
type grant struct {
	principal string
	// subject is the value of a condition on the subject of a token, "" for any.
	subject string
	actions []string
	// conditions are the other conditions, by operator and key. The audience of a token is not among them: tokens of
	// operators have every audience that HyperShift's roles ask for.
	conditions map[string][]string
}

func (g grant) String() string {
	if g.subject != "" {
		return fmt.Sprintf("%s as %s", g.principal, g.subject)
	}
	return g.principal
}

// within reports whether another grant allows everything that g allows.
func (g grant) within(other grant) bool {
	if other.principal != g.principal && other.principal != anyone || other.subject != "" && other.subject != g.subject {
		return false
	}
	for _, action := range g.actions {
		if !slices.ContainsFunc(other.actions, func(pattern string) bool { return matches(pattern, action) }) {
			return false
		}
	}
	for key, values := range other.conditions {
		had, has := g.conditions[key]
		if !has || slices.ContainsFunc(had, func(v string) bool { return !slices.Contains(values, v) }) {
			return false
		}
	}
	return true
}

// matches reports whether a pattern of an action, which may end with "*", has an action.
func matches(pattern, action string) bool {
	prefix, open := strings.CutSuffix(strings.ToLower(pattern), "*")
	return strings.EqualFold(pattern, action) || open && strings.HasPrefix(strings.ToLower(action), prefix)
}

const anyone = "anyone"

// grants returns what an Allow statement of a resource's policy allows, by principal and subject.
func grants(s policy.Statement) (list []grant) {
	if s.Effect != policy.Allow || s.Principal == nil {
		return nil
	}
	subjects, conditions := []string{""}, map[string][]string{}
	for _, operator := range slices.Sorted(maps.Keys(s.Condition)) {
		for key, values := range s.Condition[operator] {
			switch {
			case strings.HasSuffix(key, ":aud"):
			case strings.HasSuffix(key, ":sub") && (operator == "StringEquals" || operator == "StringLike"):
				subjects = values
			default:
				conditions[operator+" "+key] = values
			}
		}
	}
	for _, principal := range principals(*s.Principal) {
		for _, subject := range subjects {
			list = append(list, grant{principal, subject, s.Action, conditions})
		}
	}
	return list
}

// principals returns the principals in one spelling: an account by the ARN of its root is its ID.
func principals(p policy.Principal) []string {
	if p.Anyone || slices.Contains(p.AWS, "*") {
		return []string{anyone}
	}
	var list []string
	for _, name := range p.AWS {
		if account, is := strings.CutSuffix(name, ":root"); is {
			name = "account " + account[strings.LastIndex(account, ":")+1:]
		} else if !strings.Contains(name, ":") {
			name = "account " + name
		}
		list = append(list, name)
	}
	return slices.Concat(list, p.Federated, p.Service)
}

// publicReadLosses finds what a change of a public access block ends.
func publicReadLosses(before, after map[string]any) (lost []Loss) {
	for _, input := range []string{"blockPublicPolicy", "restrictPublicBuckets"} {
		if after[input] == true && before[input] != true {
			lost = append(lost, Loss{input, "the bucket could no longer be read by everyone"})
		}
	}
	return lost
}

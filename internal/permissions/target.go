package permissions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// arn makes a target of an ARN's form, in which {partition}, {region} and {account} stand for where the need
// is, and other names in braces for inputs. What is not known is a wildcard.
func arn(form string) target {
	return func(n Need, _ []Need) []string { return []string{n.fill(form)} }
}

func (n Need) fill(form string) string {
	return placeholder.ReplaceAllStringFunc(form, func(match string) string {
		switch name := strings.Trim(match, "{}"); name {
		case "partition":
			return n.Partition
		case "region":
			return n.Region
		case "account":
			return n.account()
		default:
			return n.text(name, "*")
		}
	})
}

// account is the account's ID, or a wildcard where the config does not say it.
func (n Need) account() string {
	if n.AccountNamed {
		return n.Account
	}
	return "*"
}

// text is an input's text, or otherwise where it is not known.
func (n Need) text(name, otherwise string) string {
	if text, ok := n.Inputs[name].(string); ok && text != "" {
		return text
	}
	return otherwise
}

// anyPath makes a target of an IAM resource that is looked up by its name alone, in whatever path it lies.
func anyPath(what string) target {
	return func(n Need, _ []Need) []string {
		form := "arn:{partition}:iam::{account}:" + what
		return []string{n.fill(form + "/{name}"), n.fill(form + "/*/{name}")}
	}
}

// of makes a target of the resource of a type that an input names by its key. What the stack does not make
// itself is named by the input alone; where the input is not known yet, it may be any that the stack makes.
func of(token, input, key, form string) target {
	return func(n Need, all []Need) []string {
		name := n.text(input, "")
		var arns []string
		for _, other := range all {
			if other.Token == token && other.Account == n.Account && (name == "" || other.text(key, "") == name) {
				arns = append(arns, other.fill(form))
			}
		}
		if len(arns) > 0 {
			return unique(arns)
		}
		return []string{n.fill(strings.ReplaceAll(form, "{"+key+"}", n.text(input, "*")))}
	}
}

func unique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// widest are ARNs without those that another covers: "*" covers all.
func widest(arns []string) []string {
	if slices.Contains(arns, "*") {
		return []string{"*"}
	}
	return unique(arns)
}

// given makes a target of an input that is an ARN.
func given(input, form string) target {
	return func(n Need, _ []Need) []string {
		if text := n.text(input, ""); strings.HasPrefix(text, "arn:") {
			return []string{text}
		}
		return []string{n.fill(form)}
	}
}

// equals makes a condition of a key that has an input's value; none where that is not known.
func equals(operator, key, input string) condition {
	return func(n Need) iam.Condition {
		value := n.text(input, "")
		if value == "" {
			return nil
		}
		return iam.Condition{operator: {key: {value}}}
	}
}

// passedTo makes a condition of the service that a role is passed on to, in any partition.
func passedTo(service string) condition {
	return func(Need) iam.Condition {
		return iam.Condition{"StringEquals": {"iam:PassedToService": {
			fmt.Sprintf("%s.amazonaws.com", service), fmt.Sprintf("%s.amazonaws.com.cn", service),
		}}}
	}
}

package account

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Owner returns the tag among the inputs that names the cluster or the stack. HyperShift's own tag, which every version
// of its CLI sets, is preferred.
func (q Query) Owner() map[string]string {
	owner := map[string]string{}
	for key, value := range q.Tags() {
		switch {
		case strings.HasPrefix(key, hypershift.ClusterTagPrefix) && value == "owned":
			return map[string]string{key: value}
		case hypershift.NamesOwner(key, value):
			owner[key] = value
		}
	}
	return owner
}

// Select keeps the resources that match the query, by the type's record of how it is adopted: those with its inputs
// and, for owned types, with its owner's tag. If several match and some have the tag Name of the inputs, only those are
// kept.
func Select(found []inventory.Resource, q Query, how awstype.Adoption) []inventory.Resource {
	var kept []inventory.Resource
	for _, r := range found {
		if !slices.ContainsFunc(how.Match, func(input string) bool {
			return !sameInput(q, r, input)
		}) && (!how.Owned || CarriesAll(r.Tags, q.Owner())) {
			kept = append(kept, r)
		}
	}
	if !how.Named {
		return kept
	}
	named := slices.DeleteFunc(slices.Clone(kept), func(r inventory.Resource) bool {
		return r.Tags["Name"] != q.Tags()["Name"]
	})
	if len(named) > 0 || len(q.Owner()) == 0 || q.Type != awstype.VPC {
		return named
	}
	return kept // a cluster has one VPC, whatever its name
}

// CarriesAll reports whether tags have all that are wanted, of which there is at least one.
func CarriesAll(tags, wanted map[string]string) bool {
	for key, value := range wanted {
		if tags[key] != value {
			return false
		}
	}
	return len(wanted) > 0
}

// sameInput reports whether a resource has the query's value of an input, or the query has none.
func sameInput(q Query, r inventory.Resource, input string) bool {
	if strings.Contains(input, ".") {
		wanted, got := textsIn(q.Inputs, input), Texts(r, input)
		return len(wanted) == 0 && len(got) == 0 || slices.ContainsFunc(wanted, func(text string) bool {
			return slices.Contains(got, text)
		})
	}
	wanted, given := q.Inputs[input]
	if !given || wanted == nil || wanted == "" {
		switch input {
		case "cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId", "fromPort", "toPort":
			return blank(r.Properties[input]) // a rule without it is another rule
		}
		return true
	}
	return plain(input, wanted) == plain(input, r.Properties[input])
}

func blank(value any) bool {
	return value == nil || value == "" || value == float64(0) || value == float64(-1)
}

// plain returns a value in a normalized form: AWS returns names with a final dot, and issuers without their scheme.
func plain(input string, value any) string {
	text, is := value.(string)
	if !is {
		text = fmt.Sprint(value)
	}
	switch input {
	case "name":
		return strings.TrimSuffix(strings.ReplaceAll(text, `\052`, "*"), ".")
	case "url":
		return strings.TrimPrefix(text, "https://")
	}
	return text
}

func textsIn(values map[string]any, property string) []string {
	name, key, nested := strings.Cut(property, ".")
	var texts []string
	list, _ := values[name].([]any)
	for _, item := range list {
		if nested {
			object, _ := item.(map[string]any)
			item = object[key]
		}
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	if text, ok := values[name].(string); ok && !nested {
		texts = append(texts, text)
	}
	return texts
}

package aws

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// APIRequest is a request to AWS's API that the provider sends, as AWS authorizes it.
type APIRequest struct {
	// Account is the account of the caller.
	Account string
	// Request has the IAM action, the ARN of the resource, "" for actions that take none, and the condition keys.
	policy.Request
	// Token is the resource's type, or the function, and Operation what the provider does with it.
	Token     string
	Operation Operation
	// Tolerated is true if the provider continues without the answer.
	Tolerated bool
}

// Caller is the user who calls AWS by the provider.
type Caller interface {
	// Watched reports whether requests are asked for. If not, every request is allowed.
	Watched() bool
	// Allow keeps a request, and reports whether the caller's policies allow it.
	Allow(r APIRequest) bool
}

// states are the properties of a resource that a request can depend on: now, and before a change.
type states struct{ now, before props.Map }

// authorize asks for each request of an operation whether the caller may send it, and returns AWS's error for the first
// one that is denied.
func (p *Provider) authorize(c *Call, token string, operation Operation, s states) error {
	if p.Caller == nil || !p.Caller.Watched() {
		return nil
	}
	section, known := Sections()[token]
	if !known {
		return fmt.Errorf("provider.txt has no section of %s", token)
	}
	for _, r := range section.requests {
		if r.operation != operation || !r.sent(s) {
			continue
		}
		asked := APIRequest{Account: p.site.Account, Token: token, Operation: operation, Tolerated: r.tolerated,
			Request: policy.Request{
				Action: r.action, Context: map[string][]string{"aws:RequestedRegion": {p.regionOf(r.action)}},
			}}
		var err error
		if asked.Resource, err = c.fill(c.Kind, r.resource, s.now); err != nil {
			return err
		}
		if r.contextKey != "" {
			value, err := c.fill(c.Kind, r.contextValue, s.now)
			if err != nil {
				return err
			}
			asked.Context[r.contextKey] = []string{value}
		}
		if !p.Caller.Allow(asked) && !r.tolerated {
			return denied(asked)
		}
	}
	return nil
}

// denial is AWS's answer to a request that the caller's policies do not allow.
type denial struct {
	error
	// call is the API call, "CreateVpc".
	call string
}

func (d denial) Unwrap() error { return d.error }

// denied: a request is refused unless a policy of the caller allows it.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
func denied(r APIRequest) error {
	service, call, _ := strings.Cut(r.Action, ":")
	what := r.Action
	if r.Resource != "" {
		what += " on resource: " + r.Resource
	}
	const message = "User: arn:aws:iam::%s:user/offline is not authorized to perform: %s because no identity-based policy allows the %s action"
	err := awserr.Errorf("AccessDenied", message, r.Account, what, r.Action)
	if service == "ec2" {
		err = awserr.Errorf("UnauthorizedOperation", "You are not authorized to perform this operation. "+message, r.Account,
			what, r.Action)
	}
	return denial{err, call}
}

// sent reports whether the provider sends the request.
func (r request) sent(s states) bool {
	if len(r.when) == 0 {
		return true
	}
	return slices.ContainsFunc(r.when, func(condition string) bool {
		sign, name := "", condition
		if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
			sign, name = name[:1], name[1:]
		}
		name, value, compared := strings.Cut(name, "=")
		if name == "tags" && s.now.Has("tagsAll") {
			name = "tagsAll"
		}
		now := s.now[name]
		if r.operation != updating {
			switch {
			case compared:
				return now != nil && fmt.Sprint(now) == value
			case sign == "-":
				return !isSet(now)
			}
			return isSet(now)
		}
		before := s.before[name]
		switch {
		case name == "*":
			return changedBesidesTags(s)
		case reflect.DeepEqual(now, before) || !isSet(now) && !isSet(before):
			return false
		case compared:
			return now != nil && fmt.Sprint(now) == value
		case sign == "+":
			return !covers(before, now)
		case sign == "-":
			return !hasKeys(now, before)
		}
		return true
	})
}

// isSet reports whether a property has another value than its type's zero value.
func isSet(v any) bool {
	if v == nil {
		return false
	}
	declared := reflect.ValueOf(v)
	if declared.Kind() == reflect.Slice || declared.Kind() == reflect.Map {
		return declared.Len() > 0
	}
	return !declared.IsZero()
}

// covers reports whether before has everything that now has: all keys of a map, with their values, or all elements of a
// list. Nothing covers another value that is set.
func covers(before, now any) bool {
	if elements, isList := now.([]any); isList {
		return hasElements(before, elements)
	}
	added, isMap := now.(map[string]any)
	if !isMap {
		return !isSet(now)
	}
	had, _ := before.(map[string]any)
	for key, value := range added {
		if !reflect.DeepEqual(had[key], value) {
			return false
		}
	}
	return true
}

// hasElements reports whether a list has all elements.
func hasElements(list any, elements []any) bool {
	has, _ := list.([]any)
	return !slices.ContainsFunc(elements, func(element any) bool {
		return !slices.ContainsFunc(has, func(one any) bool { return reflect.DeepEqual(one, element) })
	})
}

// hasKeys reports whether now has all keys of before, or all elements of a list, or any value instead of another.
func hasKeys(now, before any) bool {
	if elements, isList := before.([]any); isList {
		return hasElements(now, elements)
	}
	had, isMap := before.(map[string]any)
	if !isMap {
		return isSet(now)
	}
	has, _ := now.(map[string]any)
	for key := range had {
		if _, found := has[key]; !found {
			return false
		}
	}
	return true
}

func changedBesidesTags(s states) bool {
	without := func(m props.Map) props.Map {
		rest := maps.Clone(m)
		delete(rest, "tags")
		delete(rest, "tagsAll")
		return rest
	}
	return !reflect.DeepEqual(without(s.now), without(s.before))
}

// regionOf returns the region in which a request is sent.
func (p *Provider) regionOf(action string) string {
	switch service, _, _ := strings.Cut(action, ":"); service {
	case "iam", "route53", "cloudfront":
		return "us-east-1"
	}
	return p.site.Region
}

var unfilled = regexp.MustCompile(`\{([^}]+)\}`)

// fill replaces the names in braces by properties of a resource; "*" is "", a request without a resource.
func (c *Call) fill(k *Kind, template string, state props.Map) (string, error) {
	if template == "*" {
		return "", nil
	}
	own := map[string]string{"partition": c.Partition, "region": c.Region, "account": c.Account}
	var missing []string
	filled := unfilled.ReplaceAllStringFunc(template, func(match string) string {
		name := match[1 : len(match)-1]
		value := cmp.Or(own[name], c.referred(k, name, state))
		if value == "" {
			missing = append(missing, name)
		}
		return value
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("provider.txt: %s: there is no %s", template, strings.Join(missing, ", "))
	}
	return filled, nil
}

// referred returns a property of a resource, or of the resource that it refers to: "@role.arn".
func (c *Call) referred(k *Kind, path string, state props.Map) string {
	reference, refers := strings.CutPrefix(path, "@")
	if !refers {
		return state.String(path)
	}
	input, rest, _ := strings.Cut(reference, ".")
	if id := state.String(input); rest == "arn" && strings.HasPrefix(id, "arn:") {
		return id
	}
	if k == nil {
		return ""
	}
	// The profile of an instance is no reference: an instance may name one that is deleted later.
	for _, r := range append(slices.Clone(k.References), Reference{
		Input: "iamInstanceProfile",
		Type:  "aws:iam/instanceProfile:InstanceProfile",
	}) {
		if r.Input != input {
			continue
		}
		if to := c.Find(r.Type, state.String(input)); to != nil {
			return c.referred(c.Types.Kinds[r.Type], rest, to.State)
		}
	}
	return ""
}

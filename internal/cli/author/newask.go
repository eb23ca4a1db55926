package author

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// complete prompts for missing values on a terminal, and repeats a question until the answer is valid. Without a
// terminal it returns an error that names the missing required values.
func complete(c *invocation.Invocation, values *newValues) error {
	if c.Streams.Asks {
		return ask(c, values)
	}
	if values.region == "" {
		values.region = c.Streams.Environ.Region()
	}
	var missing []string
	for _, q := range values.questions(c.Stack, "") {
		if q.flag != "" && q.unanswered() {
			missing = append(missing, q.flag)
		}
	}
	if len(missing) > 0 {
		return invocation.Refuse("a new stack needs %s", strings.Join(missing, ", "))
	}
	return nil
}

// ask asks for the values that no flag has. The flags are checked as soon as the region is known: they depend on it.
func ask(c *invocation.Invocation, values *newValues) error {
	checked := false
	for _, q := range values.questions(c.Stack, c.Streams.Environ.Region()) {
		if !checked && values.region != "" {
			if err := values.faults(""); err != nil {
				return err
			}
			checked = true
		}
		for asked := false; q.unanswered() && (!q.optional || !asked); asked = true {
			answer, err := c.Ask(q.text(values.region), q.standard(values.region))
			if q.optional && errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			if answer == "" || q.optional && answer == "none" {
				continue
			}
			*q.value = answer
			if err := values.faults(q.path); err != nil {
				c.Say("%s", err)
				*q.value = ""
			}
		}
	}
	return nil
}

// question is a value that a new stack needs, with its prompt on a terminal.
type question struct {
	value *string
	// flag is its flag in an error, "" for an optional value.
	flag string
	// prompt is the question, and answer the default; a prefix "region" of the default is replaced by the region.
	prompt, answer string
	// path is the key in the stack's file, and example a valid value there.
	path, example string
	// skip is true if another value replaces it.
	skip bool
	// optional is true if "none" is an answer.
	optional bool
	// after is a value without which the question is not asked, nil if it always is.
	after *string
}

func (q question) unanswered() bool {
	return *q.value == "" && !q.skip && (q.after == nil || *q.after != "")
}

// standard returns the default answer.
func (q question) standard(region string) string {
	return strings.Replace(q.answer, "region", region, 1)
}

func (q question) text(region string) string {
	if q.answer == "" {
		return q.prompt + ": "
	}
	return q.prompt + " [" + q.standard(region) + "]: "
}

// asked composes the questions of a kind.
type asked struct {
	*newValues
	// stack and inRegion are the default answers for the name and the region.
	stack, inRegion string
}

// questions returns the questions of the stack's kind in their order, with default answers for the name and the region.
func (v *newValues) questions(stack, inRegion string) []question {
	return v.newKind().questions(asked{v, stack, inRegion})
}

// key returns the path of a key of the kind's section.
func (a asked) key(path string) string {
	return "hypershift-aws:" + string(a.newKind().name) + "." + path
}

func (a asked) forName(of string) question {
	return question{
		value: &a.name, flag: "--name", prompt: "name of the " + of, answer: a.stack, path: a.key("name"), example: "demo",
	}
}

func (a asked) forRegion() question {
	return question{
		value: &a.region, flag: "--region", prompt: "AWS region, such as us-east-1", answer: a.inRegion, path: "aws:region",
		example: "us-east-1",
	}
}

func (a asked) forZones() question {
	return question{
		value: &a.zoneList, prompt: "availability zones, separated by commas", answer: "regiona",
		path: a.key("network.zones"), skip: len(a.zones) > 0 || a.hasZonesElsewhere(),
	}
}

func (a asked) forInfraID() question {
	return question{
		value: &a.infraID, flag: "--infra-id", prompt: "infra ID, which the network stack's file has", path: a.key("infraID"),
	}
}

func (a asked) forBaseDomain() question {
	return question{
		value: &a.baseDomain, flag: "--base-domain", prompt: "base domain (its public zone exists)",
		path: a.key("baseDomain"), example: "example.com",
	}
}

// forBucket asks for the bucket of the OIDC documents; flags are the flags that an error names.
func (a asked) forBucket(flags, path string) question {
	return question{
		value: &a.oidcBucket, flag: flags, prompt: "bucket of the OIDC documents", path: a.key(path), example: "demo-oidc",
		skip: a.oidcIssuer != "" || a.iamStack != "" || a.management != "",
	}
}

// hasZonesElsewhere reports whether the zones come from another stack or an existing VPC.
func (v *newValues) hasZonesElsewhere() bool { return v.documents != nil || v.networkStack != "" }

// faults returns what is wrong with the values so far, as the stack's file would have it: a missing value is not a
// fault. With a path it returns only the faults of that key.
func (v newValues) faults(path string) error {
	for _, q := range v.questions("", "") {
		if *q.value == "" {
			*q.value = q.example
		}
	}
	if v.infraID == "" {
		v.infraID = "demo-x1"
	}
	err := check(v.file(), "dev")
	found := fault.In(err)
	if found == nil || path == "" {
		return err
	}
	return slices.DeleteFunc(found, func(f *fault.Fault) bool { return !strings.HasPrefix(f.Path, path) }).Err()
}

package aws

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// provider.txt has what terraform-provider-aws declares and sends for each type and function.
//
//go:embed provider.txt
var providerText string

// The operation of functions in provider.txt: none of the provider's operations on resources.
const invoking Operation = "invoking"

// Section is the section of provider.txt about a resource type or a function.
type Section struct {
	// ARN is the ARN of an instance, with names in braces.
	ARN        string
	Properties []Property
	requests   []request
}

// Property is a property of a resource type.
type Property struct {
	Name                                   string
	Required, Optional, Computed, ForceNew bool
	// Form is the form in which values are compared, Default the default value, nil for none, and Enum the allowed values,
	// nil if all are.
	Form    props.Form
	Default any
	Enum    []string
}

// request is a request to AWS's API.
type request struct {
	operation        Operation
	action, resource string
	when             []string
	// contextKey and contextValue are a condition key of the request, "" for none.
	contextKey, contextValue string
	// sets are the properties that a creation lacks until this request, which follows the first one.
	sets      []string
	tolerated bool
}

// Sections returns the sections of provider.txt, by the token of the type or function.
var Sections = sync.OnceValue(func() map[string]Section {
	sections, err := parseSections(providerText)
	if err != nil {
		panic(err) // the file is part of the program, and a test parses it
	}
	return sections
})

var (
	sectionLine  = regexp.MustCompile(`^(aws:\S+) [a-z0-9]+/[a-z0-9_]+\.go (\S+)$`)
	propertyLine = regexp.MustCompile(`^  (\w+) +(r|oc?|c)(f?)(?: +(set|json))?(?: +default=("[^"]*"|\S+))?(?: +in=(\S+))?(?: +# .+)?$`)
	requestLine  = regexp.MustCompile(`^  (create|read|update|delete|invoke) +(\w+:\w+) +(\S+)(?: +when ([^=]\S*(?: \S+)*?))?` +
		`(?: +with (\S+)=(\S+))?(?: +sets (\w+(?: \w+)*))?(?: +(tolerated))?$`)
)

// parseSections reads provider.txt.
func parseSections(text string) (map[string]Section, error) {
	operations := map[string]Operation{
		"create": Creating,
		"read":   reading,
		"update": updating,
		"delete": deleting,
		"invoke": invoking,
	}
	sections := map[string]Section{}
	var token string
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			token = m[1]
			if _, known := sections[token]; known {
				return nil, fmt.Errorf("line %d: a second section of %s", i+1, token)
			}
			sections[token] = Section{ARN: m[2]}
			continue
		}
		if token == "" || !strings.HasPrefix(line, " ") {
			return nil, fmt.Errorf("line %d: no section, which has a token, a source file and an ARN: %q", i+1, line)
		}
		section := sections[token]
		if m := requestLine.FindStringSubmatch(line); m != nil {
			one := request{
				operation: operations[m[1]], action: m[2], resource: m[3], when: strings.Fields(m[4]),
				contextKey: m[5], contextValue: m[6], sets: strings.Fields(m[7]), tolerated: m[8] != "",
			}
			if one.resource == "self" {
				one.resource = section.ARN
			}
			section.requests = append(section.requests, one)
		} else if m := propertyLine.FindStringSubmatch(line); m != nil {
			one := Property{
				Name: m[1], Required: m[2] == "r", Optional: strings.HasPrefix(m[2], "o"), Computed: strings.HasSuffix(m[2], "c"),
				ForceNew: m[3] != "",
				Form:     map[string]props.Form{"set": props.AsSet, "json": props.AsDocument}[m[4]],
			}
			if m[5] != "" {
				if err := json.Unmarshal([]byte(m[5]), &one.Default); err != nil {
					return nil, fmt.Errorf("line %d: the default %s: %w", i+1, m[5], err)
				}
			}
			if m[6] != "" {
				one.Enum = strings.Split(m[6], ",")
			}
			section.Properties = append(section.Properties, one)
		} else {
			return nil, fmt.Errorf("line %d: no property and no request: %q", i+1, line)
		}
		sections[token] = section
	}
	return sections, nil
}

// RequestActions returns the IAM actions of all requests that the provider sends for a type or a function, without
// those that it can do without.
func RequestActions(token string) []string {
	var actions []string
	for _, r := range Sections()[token].requests {
		if !r.tolerated {
			actions = append(actions, r.action)
		}
	}
	slices.Sort(actions)
	return slices.Compact(actions)
}

package aws

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// calls.txt has the requests that terraform-provider-aws sends for each operation.
//
//go:embed calls.txt
var callTable string

// The operations of calls.txt that are none of the provider's operations on resources.
const invoking Operation = "invoking"

// request is a line of calls.txt.
type request struct {
	operation        Operation
	action, resource string
	when             []string
	// contextKey and contextValue are a condition key of the request, "" for none.
	contextKey, contextValue string
	tolerated                bool
}

// requestsOf returns the requests of a type or a function, by its token. known is false if calls.txt has no section for it.
func requestsOf(token string) (requests []request, known bool) {
	requests, known = requestTable()[token]
	return requests, known
}

var requestTable = sync.OnceValue(func() map[string][]request {
	table, err := parseRequests(callTable)
	if err != nil {
		panic(err) // the table is part of the program, and a test parses it
	}
	return table
})

var requestLine = regexp.MustCompile(`^  (create|read|update|delete|invoke) +(\S+) +(\S+)(?: +when ([^=]\S*(?: \S+)*?))?(?: +with (\S+)=(\S+))?(?: +(tolerated))?$`)

// parseRequests reads a table of requests.
func parseRequests(text string) (map[string][]request, error) {
	operations := map[string]Operation{"create": Creating, "read": reading, "update": updating, "delete": deleting, "invoke": invoking}
	table := map[string][]request{}
	var token, self string
	for i, line := range strings.Split(text, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			fields := strings.Fields(line)
			if len(fields) != 3 {
				return nil, fmt.Errorf("line %d: a section has a token, a source file and an ARN", i+1)
			}
			token, self = fields[0], fields[2]
			table[token] = nil
		default:
			m := requestLine.FindStringSubmatch(line)
			if m == nil || token == "" {
				return nil, fmt.Errorf("line %d: no request: %q", i+1, line)
			}
			one := request{
				operation: operations[m[1]], action: m[2], resource: m[3], when: strings.Fields(m[4]),
				contextKey: m[5], contextValue: m[6], tolerated: m[7] != "",
			}
			if one.resource == "self" {
				one.resource = self
			}
			table[token] = append(table[token], one)
		}
	}
	return table, nil
}

// RequestActions returns the IAM actions of all requests in calls.txt for a type or a function, without those that the provider can do without.
func RequestActions(token string) []string {
	requests, _ := requestsOf(token)
	var actions []string
	for _, r := range requests {
		if !r.tolerated {
			actions = append(actions, r.action)
		}
	}
	slices.Sort(actions)
	return slices.Compact(actions)
}

package changes

import (
	"fmt"
	"slices"
	"strings"
)

// Refusal is a step of a plan that would delete or replace a resource that a running cluster depends on.
type Refusal struct {
	// Name is the resource's name in the program, which is the value for --allow.
	Name string `json:"name"`
	// ID is the resource's ID in AWS.
	ID string `json:"-"`
	// Kind is the resource type in words, "NAT gateway".
	Kind string `json:"kind"`
	// Change is "replace" or "delete".
	Change Change `json:"change"`
	// Because is the cause of the change: "cidrBlock 10.0.160.0/20 -> 10.0.144.0/20".
	Because string `json:"because"`
	// Input is the config key that causes the change, "" if unknown.
	Input string `json:"input,omitempty"`
	// Needed is the reason why running clusters need the resource: "nodes and endpoints are in it".
	Needed string `json:"needed,omitempty"`
	// Remedy tells how to avoid the change, "" if there is no way.
	Remedy string `json:"remedy,omitempty"`
	// Unguarded is true if the step is allowed: no running cluster depends on the resource.
	Unguarded bool `json:"unguarded,omitempty"`
}

// GuardError is the error of a refused plan.
type GuardError struct {
	Refusals []Refusal
	// Stack is the plan's stack.
	Stack string
	// Allowed are the names that were allowed: the command that allows the plan has them too.
	Allowed []string
	// AllowKey is the key of the stack's file that allows the plan of an update that no flag can allow, because the CLI does not run it; "" otherwise.
	AllowKey string
}

// Error lists each refused step with its cause and remedy, and the command that allows it.
func (e *GuardError) Error() string {
	var b strings.Builder
	b.WriteString("this plan replaces or deletes resources that a running cluster depends on; nothing was changed\n")
	var allow []string
	add := func(name string) {
		if !slices.Contains(allow, name) {
			allow = append(allow, name)
		}
	}
	for _, name := range e.Allowed {
		add(name)
	}
	for _, r := range e.Refusals {
		would := "replaced"
		if r.Change == Delete {
			would = "deleted"
		}
		fmt.Fprintf(&b, "\n  %s %s would be %s\n    because  %s\n", r.Kind, r.Name, would, r.Because)
		if r.Input != "" {
			fmt.Fprintf(&b, "    set by   %s\n", r.Input)
		}
		if r.Remedy != "" {
			fmt.Fprintf(&b, "    remedy   %s\n", r.Remedy)
		}
		if r.Needed != "" {
			fmt.Fprintf(&b, "    needed   %s\n", r.Needed)
		}
		add(r.Name)
	}
	fmt.Fprintf(&b, "\nTo allow this: `hypershift-aws up -s %s --allow %s`", e.Stack, strings.Join(allow, ","))
	if e.AllowKey != "" {
		fmt.Fprintf(&b, ", or in the stack's file, which is valid while the stack has resources with these IDs:\n\n  %s:\n", e.AllowKey)
		for _, r := range e.Refusals {
			fmt.Fprintf(&b, "    - {name: %s, id: %s}\n", r.Name, r.ID)
		}
	}
	return b.String()
}

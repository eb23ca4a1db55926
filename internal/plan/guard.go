package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
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
	// Needed is what running clusters need the resource for: "nodes and endpoints are in it".
	Needed string `json:"needed,omitempty"`
	// Remedy is how to avoid the change, "" if there is no way.
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
	// InProgram is true for an update that the CLI does not run, so that a flag cannot allow it.
	InProgram bool
}

var _ error = (*GuardError)(nil)

// recordOf returns the entry for a step in the list of what clusters depend on.
func recordOf(step *Step) guarded.Type {
	object := step.Old.Object("metadata").String("name")
	record, _ := guarded.Lookup(step.Type, object)
	return record
}

// isGuarded reports whether a running cluster depends on the resource of a step.
func isGuarded(step *Step) bool {
	return recordOf(step).Guarded()
}

// ends reports whether a step replaces or deletes a resource.
func ends(step *Step) bool {
	return !step.Leftover && (step.Change == ChangeReplace || step.Change == ChangeDelete)
}

// within reports whether a step ends with what its resource is part of, which the guard judges alone.
func within(plan *Plan, step *Step) bool {
	return slices.ContainsFunc(recordOf(step).Within, func(key string) bool { return goneTarget(plan, step, key) != nil })
}

// Guard returns a *GuardError if the plan replaces or deletes a guarded resource whose name (or URN) is not among the allowed, and an
// *Error of reason Refused if an allowed name is not in the plan. The stack's file allows a resource by its name and ID.
func Guard(plan *Plan, stack string, allowed []string, file ...config.Allowed) error {
	var refusals []Refusal
	var names []string
	known := map[string]bool{}
	for _, step := range plan.Changed() {
		if !isGuarded(step) || !ends(step) {
			continue
		}
		known[step.Name], known[step.URN] = true, true
		if within(plan, step) {
			continue
		}
		names = append(names, step.Name)
		if !slices.Contains(allowed, step.Name) && !slices.Contains(allowed, step.URN) && !slices.Contains(file, config.Allowed{Name: step.Name, ID: step.ID}) {
			refusals = append(refusals, explain(plan, step))
		}
	}
	if stray := slices.DeleteFunc(slices.Clone(allowed), func(name string) bool { return known[name] }); len(stray) > 0 {
		return strayError(stray, names)
	}
	if len(refusals) == 0 {
		return nil
	}
	return &GuardError{Refusals: refusals, Stack: stack, Allowed: allowed}
}

// strayError returns the error for allowed names that are not those of the guarded resources in a plan.
func strayError(stray, names []string) error {
	remedy := "leave the flag out: the plan replaces and deletes nothing that is guarded"
	if len(names) > 0 {
		remedy = "the plan's names are: --allow " + joined(names)
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("--allow %s: the plan does not replace or delete a guarded resource of that name", joined(stray)),
		Remedy:  remedy,
	}
}

// joined returns names, each once, as the value of --allow.
func joined(names []string) string {
	var each []string
	for _, name := range names {
		if !slices.Contains(each, name) {
			each = append(each, name)
		}
	}
	return strings.Join(each, ",")
}

// Explain returns the cause of each step that replaces or deletes a resource, guarded or not.
func Explain(plan *Plan) []Refusal {
	var list []Refusal
	for _, step := range plan.Changed() {
		if !ends(step) {
			continue
		}
		r := explain(plan, step)
		r.Unguarded = !isGuarded(step)
		list = append(list, r)
	}
	return list
}

// Error lists each refused step with its cause and remedy, and the command that allows it.
func (e *GuardError) Error() string {
	var b strings.Builder
	b.WriteString("this plan replaces or deletes resources that a running cluster depends on; nothing was changed\n")
	allow := slices.Clone(e.Allowed)
	for _, r := range e.Refusals {
		fmt.Fprintf(&b, "\n  %s %s would be %s\n    because  %s\n", r.Kind, r.Name, pastOf(r.Change), r.Because)
		if r.Input != "" {
			fmt.Fprintf(&b, "    set by   %s\n", r.Input)
		}
		if r.Remedy != "" {
			fmt.Fprintf(&b, "    remedy   %s\n", r.Remedy)
		}
		if r.Needed != "" {
			fmt.Fprintf(&b, "    needed   %s\n", r.Needed)
		}
		allow = append(allow, r.Name)
	}
	fmt.Fprintf(&b, "\nTo allow this: `hypershift-aws up -s %s --allow %s`", e.Stack, joined(allow))
	if e.InProgram {
		fmt.Fprintf(&b, ", or in the stack's file, which is valid while the stack has resources with these IDs:\n\n  %s:\n", config.AllowKey)
		for _, r := range e.Refusals {
			fmt.Fprintf(&b, "    - {name: %s, id: %s}\n", r.Name, r.ID)
		}
	}
	return b.String()
}

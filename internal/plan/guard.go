package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
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
	// InProgram is true for an update that the CLI does not run, so that a flag cannot allow it.
	InProgram bool
}

var _ error = (*GuardError)(nil)

// deployment is the type of the Deployments of HyperShift's operator and of external-dns, without which nothing reconciles hosted clusters.
const deployment = "kubernetes:apps/v1:Deployment"

// guarded reports whether a running cluster depends on resources of the type.
func guarded(token string) bool {
	record, _ := awstype.Of(token)
	return record.Guarded || token == deployment
}

// within reports whether a step ends with what its resource is part of, which the guard judges alone.
func within(plan *Plan, step *Step) bool {
	record, _ := awstype.Of(step.Type)
	return slices.ContainsFunc(record.Within, func(key string) bool { return goneTarget(plan, step, key) != nil })
}

// Guard returns a *GuardError if the plan replaces or deletes a guarded resource whose name (or URN) is not among the allowed, and an
// *Error of reason Refused if an allowed name is not in the plan. The stack's file allows a resource by its name and ID.
func Guard(plan *Plan, stack string, allowed []string, file ...config.Allowed) error {
	var refusals []Refusal
	known := map[string]bool{}
	for _, step := range plan.Changed() {
		if !guarded(step.Type) || step.Leftover || (step.Change != ChangeReplace && step.Change != ChangeDelete) {
			continue
		}
		known[step.Name], known[step.URN] = true, true
		if within(plan, step) {
			continue
		}
		if !slices.Contains(allowed, step.Name) && !slices.Contains(allowed, step.URN) && !slices.Contains(file, config.Allowed{Name: step.Name, ID: step.ID}) {
			refusals = append(refusals, explain(plan, step))
		}
	}
	if stray := slices.DeleteFunc(slices.Clone(allowed), func(name string) bool { return known[name] }); len(stray) > 0 {
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("--allow %s: the plan does not replace or delete a guarded resource of that name", strings.Join(stray, ", ")),
			Remedy:  "use a name from the list that `up` prints without the flag",
		}
	}
	if len(refusals) == 0 {
		return nil
	}
	return &GuardError{Refusals: refusals, Stack: stack}
}

// Explain returns the cause of each step that replaces or deletes a resource, guarded or not.
func Explain(plan *Plan) []Refusal {
	var list []Refusal
	for _, step := range plan.Changed() {
		if step.Leftover || step.Change != ChangeReplace && step.Change != ChangeDelete {
			continue
		}
		r := explain(plan, step)
		r.Unguarded = !guarded(step.Type)
		list = append(list, r)
	}
	return list
}

// Error lists each refused step with its cause and remedy, and the command that allows it.
func (e *GuardError) Error() string {
	var b strings.Builder
	b.WriteString("this plan replaces or deletes resources that a running cluster depends on; nothing was changed\n")
	var allow []string
	for _, r := range e.Refusals {
		fmt.Fprintf(&b, "\n  %s %s would be %s\n    because  %s\n", r.Kind, r.Name, pastOf(r.Change), r.Because)
		if r.Input != "" {
			fmt.Fprintf(&b, "    set by   %s\n", r.Input)
		}
		if r.Remedy != "" {
			fmt.Fprintf(&b, "    remedy   %s\n", r.Remedy)
		}
		if flag := "--allow " + r.Name; !slices.Contains(allow, flag) {
			allow = append(allow, flag)
		}
	}
	fmt.Fprintf(&b, "\nTo allow this: `hypershift-aws up -s %s %s`", e.Stack, strings.Join(allow, " "))
	if e.InProgram {
		fmt.Fprintf(&b, ", or in the stack's file, which is valid while the stack has resources with these IDs:\n\n  %s:\n", config.AllowKey)
		for _, r := range e.Refusals {
			fmt.Fprintf(&b, "    - {name: %s, id: %s}\n", r.Name, r.ID)
		}
	}
	return b.String()
}

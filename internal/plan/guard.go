package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
)

// Refusal is one step of a plan that would pull the ground from under a running cluster.
type Refusal struct {
	// Name is the resource's name in the program, which --allow takes.
	Name string `json:"name"`
	// Kind is what the resource is, "NAT gateway".
	Kind string `json:"kind"`
	// Change is "replace" or "delete".
	Change Change `json:"change"`
	// Because says what brings the change about: "cidrBlock 10.0.160.0/20 -> 10.0.144.0/20".
	Because string `json:"because"`
	// Input is the key of the stack's config that it comes from, "" where that cannot be known.
	Input string `json:"input,omitempty"`
	// Remedy is how to get what is wanted without the change, "" where there is none.
	Remedy string `json:"remedy,omitempty"`
	// Unguarded is whether the step is not refused: no running cluster depends on the resource.
	Unguarded bool `json:"unguarded,omitempty"`
}

// GuardError is a plan that was refused.
type GuardError struct {
	Refusals []Refusal
	// Stack is the plan's stack.
	Stack string
}

var _ error = (*GuardError)(nil)

// guarded is whether a running cluster depends on resources of the type, which cannot be had back as they were.
func guarded(token string) bool {
	record, _ := awstype.Of(token)
	return record.Guarded
}

// Guard returns a *GuardError where the plan replaces or deletes a guarded resource whose name (or URN)
// is not among the allowed, and an *Error of reason Refused where an allowed name is not in the plan.
func Guard(plan *Plan, stack string, allowed []string) error {
	var refusals []Refusal
	known := map[string]bool{}
	for _, step := range plan.Changed() {
		if !guarded(step.Type) || step.Leftover || (step.Change != ChangeReplace && step.Change != ChangeDelete) {
			continue
		}
		known[step.Name], known[step.URN] = true, true
		if !slices.Contains(allowed, step.Name) && !slices.Contains(allowed, step.URN) {
			refusals = append(refusals, explain(plan, step))
		}
	}
	if stray := slices.DeleteFunc(slices.Clone(allowed), func(name string) bool { return known[name] }); len(stray) > 0 {
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("--allow %s: the plan neither replaces nor deletes a guarded resource of that name", strings.Join(stray, ", ")),
			Remedy:  "take the name from the list that `up` refuses without it",
		}
	}
	if len(refusals) == 0 {
		return nil
	}
	return &GuardError{Refusals: refusals, Stack: stack}
}

// Explain says of each step that replaces or deletes a resource what brings it about, guarded or not.
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

// Error lists each refused step with its cause and remedy, and how to go ahead all the same.
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
	fmt.Fprintf(&b, "\nIf that is what you want: hypershift-aws up -s %s %s", e.Stack, strings.Join(allow, " "))
	return b.String()
}

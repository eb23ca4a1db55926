package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

var _ error = (*changes.GuardError)(nil)

// recordOf returns the entry for a step in the list of what clusters depend on.
func recordOf(step *changes.Step) guarded.Type {
	object := props.Map(step.Old).Object("metadata").String("name")
	record, _ := guarded.Lookup(step.Type, object)
	return record
}

// isGuarded reports whether a running cluster depends on the resource of a step.
func isGuarded(step *changes.Step) bool {
	return recordOf(step).Guarded()
}

// ends reports whether a step replaces or deletes a resource.
func ends(step *changes.Step) bool {
	return !step.Leftover && (step.Change == changes.Replace || step.Change == changes.Delete)
}

// within reports whether a step's resource is replaced or deleted together with the resource that it is part of. The
// guard then checks only that one.
func within(plan *changes.Plan, step *changes.Step) bool {
	return slices.ContainsFunc(recordOf(step).Within, func(key string) bool { return goneTarget(plan, step, key) != nil })
}

// GuardGate describes the gate of Guard.
func GuardGate() gates.Gate {
	return gates.Gate{
		Name: "guard",
		Refuses: "a plan that replaces or deletes a resource that a running cluster depends on, unless --allow names " +
			"it",
		WayOn:      "`--allow`, or the key `allow`",
		Operations: []gates.Operation{gates.Up, gates.Preview},
		Cost:       gates.CostFree,
	}
}

// Guard returns a *GuardError if the plan replaces or deletes a guarded resource whose name (or URN) is not among the
// allowed, and an *Error of reason Refused if an allowed name is not in the plan. accepted reports whether the stack's
// file allows a resource; it may be nil.
func Guard(plan *changes.Plan, stack string, allowed []string, accepted func(name, id string) bool) error {
	var refusals []changes.Refusal
	var names []string
	known := map[string]bool{}
	for _, step := range Listed(plan) {
		if !isGuarded(step) || !ends(step) {
			continue
		}
		known[step.Name], known[step.URN] = true, true
		if within(plan, step) {
			continue
		}
		names = append(names, step.Name)
		if !slices.Contains(allowed, step.Name) && !slices.Contains(allowed, step.URN) && (accepted == nil ||
			!accepted(step.Name, step.ID)) {
			refusals = append(refusals, explain(plan, step))
		}
	}
	if stray := slices.DeleteFunc(slices.Clone(allowed), func(name string) bool { return known[name] }); len(stray) > 0 {
		return strayError(stray, names)
	}
	if len(refusals) == 0 {
		return nil
	}
	return &changes.GuardError{Refusals: refusals, Stack: stack, Allowed: allowed, AllowKey: config.AllowKey}
}

// strayError returns the error for allowed names that no guarded resource in the plan has.
func strayError(stray, names []string) error {
	remedy := "leave the flag out: the plan replaces and deletes nothing that is guarded"
	if len(names) > 0 {
		remedy = "the plan's names are: --allow " + joined(names)
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("--allow %s: the plan does not replace or delete a guarded resource of that name",
			joined(stray)),
		Remedy: remedy,
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
func Explain(plan *changes.Plan) []changes.Refusal {
	var list []changes.Refusal
	for _, step := range Listed(plan) {
		if !ends(step) {
			continue
		}
		r := explain(plan, step)
		r.Unguarded = !isGuarded(step)
		list = append(list, r)
	}
	return list
}

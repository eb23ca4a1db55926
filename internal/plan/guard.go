package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

var _ error = (*changes.GuardError)(nil)

// typeOf returns the entry for a step in the list of what clusters depend on.
func typeOf(step *changes.Step) guarded.Type {
	object := props.Map(step.Old).Object("metadata").String("name")
	info, _ := guarded.Lookup(step.Type, object)
	if info.Of != "" && !strings.Contains(step.URN, info.Of) ||
		info.If != "" && (step.Old[info.If] == nil || step.Old[info.If] == "") {
		return guarded.Type{Token: info.Token}
	}
	return info
}

// refused reports whether the guard refuses a step unless it is allowed: it ends or restricts what a running cluster
// depends on, or deletes what an object needs that stays.
func refused(plan *changes.Plan, step *changes.Step) bool {
	return isGuarded(step) && (ends(step) && !Incomplete(plan, step) || isTheLiving(plan, step) ||
		len(losses(plan, step)) > 0) ||
		needer(plan, step) != ""
}

// Incomplete reports whether a step replaces a resource that an interrupted run has not completed: the engine gives no
// input as the reason, and nothing that exists refers to it.
func Incomplete(plan *changes.Plan, step *changes.Step) bool {
	return step.Change == changes.Replace && slices.Equal(step.Keys, []string{"id"}) &&
		!slices.ContainsFunc(plan.Steps, func(other *changes.Step) bool {
			return other != step && other.Change != changes.Create &&
				untyped.Contains(other.Old, func(value any) bool { return value == any(step.ID) })
		})
}

// isGuarded reports whether a running cluster depends on the resource of a step.
func isGuarded(step *changes.Step) bool {
	return typeOf(step).Guarded()
}

// losses returns what an update in place takes from those who use the resource.
func losses(plan *changes.Plan, step *changes.Step) []awstype.Loss {
	lost := recordedLosses(step)
	i := slices.IndexFunc(lost, func(l awstype.Loss) bool { return l.Input == awstype.Boundary })
	if i < 0 {
		return lost
	}
	if judged, known := boundaryLosses(plan, step); known {
		return slices.Replace(lost, i, i+1, judged...)
	}
	return lost
}

// recordedLosses returns what the record of the resource's type finds of that, by its inputs alone.
func recordedLosses(step *changes.Step) []awstype.Loss {
	info := typeOf(step)
	updates := step.Change == changes.Update || step.Change == changes.Import && len(step.Diffs) > 0
	if !updates || step.Leftover || info.Losses == nil {
		return nil
	}
	return info.Losses(step.Old, step.New)
}

// ends reports whether a step replaces or deletes a resource.
func ends(step *changes.Step) bool {
	return !step.Leftover && (step.Change == changes.Replace || step.Change == changes.Delete)
}

// within reports whether a step's resource is replaced or deleted together with the resource that it is part of. The
// guard then checks only that one.
func within(plan *changes.Plan, step *changes.Step) bool {
	return slices.ContainsFunc(typeOf(step).Within, func(key string) bool { return goneTarget(plan, step, key) != nil })
}

// GuardGate describes the gate of Guard.
func GuardGate() gates.Gate {
	return gates.Gate{
		Name: "guard",
		Refuses: "a plan that replaces or deletes a resource that a running cluster depends on, or that takes from it " +
			"in place what the cluster uses, such as the trust in an issuer, unless --allow names it",
		WayOn:      "`--allow`, or the key `allow`",
		Operations: []gates.Operation{gates.Up, gates.Preview},
		Cost:       gates.CostFree,
	}
}

// Guard returns a *GuardError if the plan replaces or deletes a guarded resource, or takes something from its users in
// place, and its name (or URN) is not among the allowed. accepted reports whether the stack's file allows a resource;
// it may be nil.
func Guard(plan *changes.Plan, stack string, allowed []string, accepted func(name, id string) bool) error {
	var refusals []changes.Refusal
	for _, step := range Listed(plan) {
		if !refused(plan, step) || ends(step) && within(plan, step) {
			continue
		}
		if !slices.Contains(allowed, step.Name) && !slices.Contains(allowed, step.URN) && (accepted == nil ||
			!accepted(step.Name, consentID(plan, step))) {
			refusals = append(refusals, explain(plan, step))
		}
	}
	if len(refusals) == 0 {
		return nil
	}
	return &changes.GuardError{Refusals: refusals, Stack: stack, Allowed: allowed, AllowKey: config.AllowKey}
}

// consentID returns what the key allow names a resource by: its ID and, where that is made of names, what a later
// resource with this ID does not have: the identity that AWS or the API server gives it or, for a bucket, an OIDC
// provider or a route, the time at which the engine created it. A program does not see that time.
func consentID(plan *changes.Plan, step *changes.Step) string {
	outputs := props.Map(step.OldOutputs)
	if len(outputs) == 0 {
		outputs = step.Old // in a program
	}
	unique := cmp.Or(outputs.String("metadata", "uid"), outputs.String("uniqueId"), outputs.String("policyId"))
	info, _ := awstype.Lookup(step.Type)
	if named := len(info.Find.ImportID) > 0 || info.Find.Replaceable; unique == "" && named {
		unique = createdAt(plan, step.URN)
	}
	if unique == "" || unique == step.ID {
		return step.ID
	}
	return step.ID + "@" + unique
}

// createdAt returns when the engine created the resource with a URN, or took it into the state; "" if that is not
// known.
func createdAt(plan *changes.Plan, urn string) string {
	for _, r := range plan.Before {
		if string(r.URN) == urn && !r.Delete && r.Created != nil {
			return r.Created.UTC().Format(time.RFC3339)
		}
	}
	return ""
}

// Stray returns the allowed names that no guarded resource in the plan has.
func Stray(plan *changes.Plan, allowed []string) []string {
	return slices.DeleteFunc(slices.Clone(allowed), func(name string) bool {
		return slices.ContainsFunc(plan.Steps, func(step *changes.Step) bool {
			return (step.Name == name || step.URN == name) && refused(plan, step)
		})
	})
}

// RefuseStray returns the error of reason Refused for allowed names that are Stray.
func RefuseStray(plan *changes.Plan, stray []string) error {
	var names []string
	for _, step := range Listed(plan) {
		if refused(plan, step) && (!ends(step) || !within(plan, step)) {
			names = append(names, step.Name)
		}
	}
	remedy := "leave the flag out: the plan replaces and deletes nothing that is guarded"
	if len(names) > 0 {
		remedy = "the plan's names are: --allow " + joined(names)
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("--allow %s: the plan does not replace or delete a guarded resource of that name, nor take anything from its users",
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

// Explain returns the cause of each step that replaces or deletes a resource, guarded or not, and of each that takes
// something from the users of a guarded one.
func Explain(plan *changes.Plan) []changes.Refusal {
	var list []changes.Refusal
	for _, step := range Listed(plan) {
		r := explain(plan, step)
		r.Unguarded = !refused(plan, step)
		switch {
		case r.Unguarded && !ends(step):
			continue
		case !r.Unguarded && ends(step) && within(plan, step):
			r.Unguarded = true // the resource that it is part of is guarded
		}
		list = append(list, r)
	}
	return list
}

package plan

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// Program is the part of a plan that is known in a program before the engine plans its update: which resources of the
// last state are registered again, and with which values.
type Program struct{ plan changes.Plan }

// AddPrior adds a resource of the last state, with its outputs. Until the program registers the resource, the update
// deletes it. Types without a record are left out.
func (p *Program) AddPrior(resource string, outputs map[string]any) {
	u := urn.URN(resource)
	if _, known := awstype.Lookup(string(u.Type())); !known && !guarded.Known(string(u.Type())) {
		return
	}
	id, _ := outputs["id"].(string)
	if metadata := props.Map(outputs).Object("metadata"); id == "" && metadata != nil {
		id = strings.TrimPrefix(metadata.String("namespace")+"/"+metadata.String("name"), "/") // that of a Kubernetes object
	}
	p.plan.Steps = append(p.plan.Steps, &changes.Step{
		URN: resource, Name: u.Name(), Type: string(u.Type()), Change: changes.Delete, Custom: true, ID: id, Old: outputs,
	})
}

// Unguarded reports whether the last state has no guarded resource.
func (p *Program) Unguarded() bool { return !slices.ContainsFunc(p.plan.Steps, isGuarded) }

// Register notes that the program registers a resource; values that the program does not know yet are left out.
func (p *Program) Register(token, name string, inputs map[string]any) {
	known := maps.Clone(inputs)
	maps.DeleteFunc(known, func(_ string, value any) bool { return isUnknown(value) })
	for _, step := range p.plan.Steps {
		if step.Type == token && step.Name == name {
			step.Change, step.New = changes.Same, known
		}
	}
}

// Guard returns the error of Guard for the update.
func (p *Program) Guard(stack string, accepted func(name, id string) bool) error {
	for _, step := range p.plan.Steps {
		for _, key := range typeOf(step).Fixed {
			before, after := valueAt(step.Old, key), valueAt(step.New, key)
			if step.Change != changes.Delete && before != nil && after != nil && !untyped.Contains(after, isUnknown) &&
				!same(before, after) {
				step.Change, step.Keys = changes.Replace, append(step.Keys, key)
			}
		}
	}
	p.replaceDependents()
	for _, step := range p.plan.Steps {
		if info := typeOf(step); step.Change == changes.Same && info.Losses != nil &&
			len(info.Losses(step.Old, step.New)) > 0 {
			step.Change = changes.Update
		}
	}
	return Guard(&p.plan, stack, nil, accepted)
}

// valueAt returns the value at a path, nil if there is none.
func valueAt(values props.Map, path string) any {
	key, rest, nested := strings.Cut(path, ".")
	if nested && values[key] != nil {
		return valueAt(values.Object(key), rest)
	}
	return values[path]
}

// isUnknown reports whether a value is not known to the program yet.
func isUnknown(value any) bool { return value == any(changes.UnknownValue) }

// replaceDependents marks resources that are replaced because one that they refer to is.
func (p *Program) replaceDependents() {
	for changed := true; changed; {
		changed = false
		for _, step := range p.plan.Steps {
			for _, key := range typeOf(step).Fixed {
				if step.Change != changes.Delete && !slices.Contains(step.Keys,
					key) && valueAt(step.New, key) == nil && goneTarget(&p.plan, step, key) != nil {
					step.Change, step.Keys, changed = changes.Replace, append(step.Keys, key), true
				}
			}
		}
	}
}

// same reports whether an input equals an output of the last state: AWS leaves out the scheme of an OIDC provider's
// URL.
func same(before, after any) bool {
	was, isText := before.(string)
	is, bothText := after.(string)
	if !isText || !bothText {
		return reflect.DeepEqual(before, after)
	}
	return strings.TrimPrefix(was, "https://") == strings.TrimPrefix(is, "https://")
}

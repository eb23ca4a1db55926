package changes

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/event"
)

// Change is the effect of an operation on a resource.
type Change string

// The changes. Refreshing, reading or importing a resource does not change it in AWS.
const (
	Same    Change = "same"
	Create  Change = "create"
	Update  Change = "update"
	Replace Change = "replace"
	Delete  Change = "delete"
	Read    Change = "read"
	Import  Change = "import"
)

// Step is the effect of a plan on one resource.
type Step struct {
	// URN identifies the resource.
	URN string
	// Name is the resource's name in the program.
	Name string
	// Type is the type's token, "aws:ec2/vpc:Vpc".
	Type string
	// Parent is the URN of its parent, "" if it has none.
	Parent string
	Change Change
	// Keys are the inputs that force a replacement, Diffs all changed inputs, and Detailed the paths of changed values
	// where the provider reports them.
	Keys, Diffs, Detailed []string
	// Old and New are the inputs before and after; nil if there is no before or after.
	Old, New map[string]any
	// OldOutputs and NewOutputs are the outputs before and after; those after only in a refresh.
	OldOutputs, NewOutputs map[string]any
	// ID is the resource's ID in AWS before the plan, "" for a new one.
	ID string
	// Custom is false for components.
	Custom bool
	// DeletedFirst is true if a replacement deletes the old resource before it creates the new one.
	DeletedFirst bool
	// Leftover is an old resource that an earlier, unfinished replacement has yet to delete.
	Leftover bool
}

// Counts reports whether the step counts in summaries. Components and references to other stacks don't, nor do the
// engine's own resources, providers and stashes of values, unless they change.
func (s *Step) Counts() bool {
	if !s.Custom || s.Type == "pulumi:pulumi:StackReference" {
		return false
	}
	if strings.HasPrefix(s.Type, "pulumi:") {
		return s.Change == Update || s.Change == Replace
	}
	return true
}

// Plan is what an operation would do, resource by resource, in the engine's order.
type Plan struct {
	// Steps are the steps in the order in which the engine reported them.
	Steps []*Step
	// HasChanges is true if anything changes, including components and providers.
	HasChanges bool
	// Protects is true if the plan adds a guard to the state, which stops a destroy without this program's checks. That
	// alone doesn't count as a change.
	Protects bool
	// Summary has the plan's operation and totals.
	Summary *event.Summary
	// Before and After are the stack's resources, including providers, before and after the plan. In After, values that
	// are not known before AWS has created a resource are UnknownValue, and the ID of a new resource is its name. Only
	// previews have them.
	Before, After []apitype.ResourceV3
	// Engine is the plan in the engine's format for an update by plan. Only previews of updates have it. Secrets in it are
	// encrypted.
	Engine json.RawMessage
	// Policies are the documents of the managed policies by which the guard judges another permissions boundary, by their
	// ARNs. One that could not be read is missing: the boundary then needs a consent.
	Policies map[string]string
}

// Existing returns the resources that exist before the plan: the resources in Before, and the imported ones as they are
// in After.
func (p *Plan) Existing() []apitype.ResourceV3 {
	imported := map[string]bool{}
	for _, step := range p.Steps {
		imported[step.URN] = imported[step.URN] || step.Change == Import
	}
	existing := slices.DeleteFunc(slices.Clone(p.Before), func(r apitype.ResourceV3) bool {
		return imported[string(r.URN)]
	})
	for _, r := range p.After {
		if imported[string(r.URN)] {
			existing = append(existing, r)
		}
	}
	return existing
}

// Deletes reports whether the plan deletes the resource with a URN.
func (p *Plan) Deletes(urn string) bool {
	return slices.ContainsFunc(p.Steps, func(s *Step) bool { return s.URN == urn && s.Change == Delete && !s.Leftover })
}

// Counts counts the plan's resources by change.
func (p *Plan) Counts() event.Counts {
	var c event.Counts
	for _, step := range p.Steps {
		if !step.Counts() {
			continue
		}
		switch step.Change {
		case Create:
			c.Created++
		case Import:
			c.Imported++
		case Update:
			c.Updated++
		case Replace:
			c.Replaced++
		case Delete:
			c.Deleted++
		case Same, Read:
			c.Same++
		}
	}
	return c
}

// Changed returns the steps that change a resource.
func (p *Plan) Changed() []*Step {
	var changed []*Step
	for _, step := range p.Steps {
		if step.Counts() && step.Change != Same && step.Change != Read {
			changed = append(changed, step)
		}
	}
	return changed
}

// UnknownValue replaces, in the engine's events, a value that is known only after an update.
const UnknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

// Difference is a resource whose state in AWS differs from the stack's state.
type Difference struct {
	// URN identifies the resource.
	URN string `json:"urn"`
	// Name is the resource's name in the program, Type its type's token and ID its ID in AWS.
	Name string `json:"name"`
	Type string `json:"resourceType"`
	ID   string `json:"id"`
	// Gone is true if it no longer exists.
	Gone bool `json:"gone"`
	// Values are the properties that differ.
	Values []ValueDifference `json:"values,omitempty"`
}

// ValueDifference is a property that differs.
type ValueDifference struct {
	// Property is the property's name, or the path of a Kubernetes object's field, State its value in the state and AWS
	// that in AWS; "[secret]" for a secret.
	Property string `json:"property"`
	State    any    `json:"state"`
	AWS      any    `json:"aws"`
	// Kept is true if, after a refresh, an update keeps the value that AWS has: what others added to a list that AWS means
	// to be shared, and properties that the stack sets only once.
	Kept bool `json:"kept,omitempty"`
}

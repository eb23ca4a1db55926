package plan

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// Change is the effect of an operation on a resource.
type Change string

// The changes. Refreshing, reading or importing a resource does not change it in AWS.
const (
	ChangeSame    Change = "same"
	ChangeCreate  Change = "create"
	ChangeUpdate  Change = "update"
	ChangeReplace Change = "replace"
	ChangeDelete  Change = "delete"
	ChangeRead    Change = "read"
	ChangeImport  Change = "import"
)

// Step is the effect of a plan on one resource.
type Step struct {
	URN string
	// Name is the resource's name in the program.
	Name string
	// Type is the type's token, "aws:ec2/vpc:Vpc".
	Type string
	// Parent is the URN of its parent, "" if it has none.
	Parent string
	Change Change
	// Keys are the inputs that force a replacement, Diffs all changed inputs, and Detailed the paths of changed values where the provider
	// reports them.
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

// Counts reports whether the step counts in summaries: components, references to other stacks and unchanged providers do not.
func (s *Step) Counts() bool {
	if !s.Custom || s.Type == "pulumi:pulumi:StackReference" {
		return false
	}
	if strings.HasPrefix(s.Type, "pulumi:providers:") {
		return s.Change == ChangeUpdate || s.Change == ChangeReplace
	}
	return true
}

// Protects reports whether the step adds the component that stops a destroy to a state.
func (s *Step) Protects() bool { return s.Type == stacks.DestroyGuardType && s.Change == ChangeCreate }

// Plan is what an operation would do, resource by resource, in the engine's order.
type Plan struct {
	Steps []*Step
	// HasChanges is true if anything changes, including components and providers.
	HasChanges bool
	// Protects is true if the plan adds to the state what stops a destroy without this program's checks. That alone is no change.
	Protects bool
	// Summary has the plan's operation and totals.
	Summary *report.SummaryEvent
	// Before and After are the stack's resources, including providers, before and after the plan. In After, values that are not known
	// before AWS has created a resource are UnknownValue, and the ID of a new resource is its name. Only previews have them.
	Before, After []apitype.ResourceV3
	// Engine is the plan in the engine's format for an update by plan. Only previews of updates have it. Secrets in it are encrypted.
	Engine json.RawMessage
}

// Existing returns the resources that exist before the plan: those of Before, and those that the plan imports, as in
// After.
func (p *Plan) Existing() []apitype.ResourceV3 {
	imported := map[string]bool{}
	for _, step := range p.Steps {
		imported[step.URN] = imported[step.URN] || step.Change == ChangeImport
	}
	existing := slices.DeleteFunc(slices.Clone(p.Before), func(r apitype.ResourceV3) bool { return imported[string(r.URN)] })
	for _, r := range p.After {
		if imported[string(r.URN)] {
			existing = append(existing, r)
		}
	}
	return existing
}

// Events returns the plan's changes as events of status StatusPlanned, and its summary.
func (p *Plan) Events() []report.Event {
	var list []report.Event
	for _, step := range p.Listed() {
		list = append(list, &report.ResourceEvent{
			Op: apitype.OpType(step.Change), URN: step.URN, Name: step.Name, ResourceType: step.Type,
			Status: report.StatusPlanned, Diffs: step.Diffs, Keys: step.Keys, Values: step.Values(),
		})
	}
	return append(list, p.Summary)
}

// Deletes reports whether the plan deletes the resource with a URN.
func (p *Plan) Deletes(urn string) bool {
	return slices.ContainsFunc(p.Steps, func(s *Step) bool { return s.URN == urn && s.Change == ChangeDelete && !s.Leftover })
}

// Counts counts the plan's resources by change.
func (p *Plan) Counts() report.Counts {
	var c report.Counts
	for _, step := range p.Steps {
		if !step.Counts() {
			continue
		}
		switch step.Change {
		case ChangeCreate:
			c.Created++
		case ChangeImport:
			c.Imported++
		case ChangeUpdate:
			c.Updated++
		case ChangeReplace:
			c.Replaced++
		case ChangeDelete:
			c.Deleted++
		case ChangeSame, ChangeRead:
			c.Same++
		}
	}
	return c
}

// Changed returns the steps that change a resource.
func (p *Plan) Changed() []*Step {
	var changed []*Step
	for _, step := range p.Steps {
		if step.Counts() && step.Change != ChangeSame && step.Change != ChangeRead {
			changed = append(changed, step)
		}
	}
	return changed
}

// Listed returns the steps that change a resource, ordered by type: the engine's own order differs between runs.
func (p *Plan) Listed() []*Step {
	changed := p.Changed()
	slices.SortStableFunc(changed, func(a, b *Step) int {
		return cmp.Or(cmp.Compare(report.TypeName(a.Type), report.TypeName(b.Type)), cmp.Compare(a.Name, b.Name))
	})
	return changed
}

// Recorder makes a plan of the engine's steps.
type Recorder struct {
	Plan
	// imports are the steps of which a part imports the resource, keepsID those that are replaced by a resource with the same ID.
	imports, keepsID map[*Step]bool
}

// Add adds a step of the engine to the plan. The engine replaces a resource in up to three steps, which are one step here.
func (r *Recorder) Add(m apitype.StepEventMetadata) {
	step := NewStep(m)
	if r.Protects = r.Protects || step.Protects(); step.Change != ChangeSame && step.Change != ChangeRead && !step.Protects() {
		r.HasChanges = true
	}
	whole := step
	if i := slices.IndexFunc(r.Steps, func(before *Step) bool { return before.URN == step.URN && before.belongsWith(step) }); i >= 0 {
		whole = r.Steps[i]
	} else {
		r.Steps = append(r.Steps, step)
	}
	if r.imports == nil {
		r.imports, r.keepsID = map[*Step]bool{}, map[*Step]bool{}
	}
	r.imports[whole] = r.imports[whole] || m.Op == apitype.OpImportReplacement
	r.keepsID[whole] = r.keepsID[whole] || m.Op == apitype.OpReplace && m.Old != nil && m.New != nil && m.Old.ID != "" && m.Old.ID == m.New.ID
	if whole != step {
		whole.merge(step)
	}
	if r.imports[whole] && r.keepsID[whole] {
		// If the program read the resource before and imports it now, the engine plans a replacement by a resource with the same ID.
		whole.Change = ChangeImport
	}
}

// Continued returns the steps of an operation in two parts. A resource that the first part did not change is counted once, by what the second
// part did with it.
func Continued(first, second []*Step) []*Step {
	steps := slices.DeleteFunc(slices.Clone(first), func(before *Step) bool {
		return (before.Change == ChangeSame || before.Change == ChangeRead) &&
			slices.ContainsFunc(second, func(s *Step) bool { return s.URN == before.URN })
	})
	return append(steps, second...)
}

// belongsWith reports whether two steps of the engine are parts of one. The deletion of an old resource whose successor is unchanged is
// separate: an earlier run left it.
func (s *Step) belongsWith(other *Step) bool {
	replaces := func(c Change) bool { return c == ChangeReplace || c == ChangeImport }
	return s.Leftover == other.Leftover || replaces(s.Change) && replaces(other.Change)
}

// NewStep returns a step of the engine's, as its events describe it.
func NewStep(m apitype.StepEventMetadata) *Step {
	step := &Step{
		URN:    m.URN,
		Name:   urn.URN(m.URN).Name(),
		Type:   m.Type,
		Change: changeOf(m.Op),
		Keys:   m.Keys,
		Diffs:  m.Diffs,

		Detailed: slices.Sorted(maps.Keys(m.DetailedDiff)),
	}
	if m.Old != nil {
		step.Old, step.ID, step.Custom, step.OldOutputs = m.Old.Inputs, m.Old.ID, m.Old.Custom, m.Old.Outputs
		step.Parent = m.Old.Parent
		step.Leftover = m.Old.Delete && (m.Op == apitype.OpDelete || m.Op == apitype.OpDeleteReplaced)
	}
	if m.New != nil {
		step.New, step.Custom, step.NewOutputs, step.Parent = m.New.Inputs, m.New.Custom, m.New.Outputs, m.New.Parent
	}
	if m.Op == apitype.OpImport && m.New != nil {
		step.ID = m.New.ID
	}
	step.DeletedFirst = m.Op == apitype.OpDeleteReplaced
	return step
}

func (s *Step) merge(other *Step) {
	if other.Change == ChangeReplace {
		s.Change = ChangeReplace
	}
	if s.ID == "" {
		s.ID = other.ID
	}
	s.Leftover = s.Leftover && other.Leftover
	if s.Old == nil {
		s.Old, s.OldOutputs = other.Old, other.OldOutputs
	}
	if s.New == nil {
		s.New = other.New
	}
	s.Keys, s.Diffs, s.Detailed = union(s.Keys, other.Keys), union(s.Diffs, other.Diffs), union(s.Detailed, other.Detailed)
}

// union adds to a list what it lacks of another.
func union(list, other []string) []string {
	for _, one := range other {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

func changeOf(op apitype.OpType) Change {
	switch op {
	case apitype.OpCreate:
		return ChangeCreate
	case apitype.OpUpdate:
		return ChangeUpdate
	case apitype.OpDelete:
		return ChangeDelete
	case apitype.OpReplace, apitype.OpCreateReplacement, apitype.OpDeleteReplaced, apitype.OpDiscardReplaced,
		apitype.OpReadReplacement, apitype.OpImportReplacement, apitype.OpRemovePendingReplace:
		return ChangeReplace
	case apitype.OpRead, apitype.OpReadDiscard, apitype.OpRefresh:
		return ChangeRead
	case apitype.OpImport:
		return ChangeImport
	default:
		return ChangeSame
	}
}

// Goals are the program's inputs of each resource, by URN.
type Goals map[resource.URN]apitype.ResourcePlanV1

// ReadGoals reads the plan file that the engine writes, and returns its text too.
func ReadGoals(file string) (Goals, json.RawMessage, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	var plan apitype.DeploymentPlanV1
	err = json.Unmarshal(text, &plan)
	return plan.ResourcePlans, text, err
}

// Leaves returns the resources that would exist after the plan, with their known values. before are the existing resources.
func (p *Plan) Leaves(goals Goals, before []apitype.ResourceV3) []apitype.ResourceV3 {
	ids := map[resource.URN]resource.ID{}
	for _, r := range before {
		ids[r.URN] = r.ID
	}
	inputs, read := map[resource.URN]map[string]any{}, map[resource.URN]bool{}
	for _, step := range p.Steps {
		if step.Change == ChangeImport && step.ID != "" {
			ids[resource.URN(step.URN)] = resource.ID(step.ID)
		}
		if step.New != nil {
			inputs[resource.URN(step.URN)] = step.New
		}
		read[resource.URN(step.URN)] = step.Change == ChangeRead
	}
	var after []apitype.ResourceV3
	for _, urn := range slices.Sorted(maps.Keys(goals)) {
		goal := goals[urn].Goal
		if goal == nil || !goal.Custom {
			continue
		}
		r := apitype.ResourceV3{
			URN: urn, Type: goal.Type, Custom: true, ID: ids[urn], External: read[urn], Inputs: inputs[urn], Outputs: goals[urn].Outputs,
			Parent: goal.Parent, Protect: goal.Protect, Provider: goal.Provider, Dependencies: goal.Dependencies, PropertyDependencies: goal.PropertyDependencies,
		}
		if r.ID == "" {
			r.ID = resource.ID(urn.Name())
		}
		after = append(after, r)
	}
	return after
}

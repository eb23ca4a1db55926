package plan

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// Events returns the plan's changes as events of status StatusPlanned, and its summary.
func Events(p *changes.Plan) []report.Event {
	var list []report.Event
	for _, step := range Listed(p) {
		list = append(list, &event.Resource{
			Op: apitype.OpType(step.Change), URN: step.URN, Name: step.Name, ResourceType: step.Type,
			Status: event.StatusPlanned, Diffs: step.Diffs, Keys: step.Keys, Values: Values(step),
		})
	}
	return append(list, p.Summary)
}

// Listed returns the steps that change a resource, ordered by type: the engine's own order differs between runs.
func Listed(p *changes.Plan) []*changes.Step {
	changed := p.Changed()
	slices.SortStableFunc(changed, func(a, b *changes.Step) int {
		return cmp.Or(cmp.Compare(report.TypeName(a.Type), report.TypeName(b.Type)), cmp.Compare(a.Name, b.Name))
	})
	return changed
}

// Recorder makes a plan of the engine's steps.
type Recorder struct {
	changes.Plan
	// imports are the steps of which a part imports the resource, keepsID those that are replaced by a resource with the same ID.
	imports, keepsID map[*changes.Step]bool
}

// Add adds a step of the engine to the plan. The engine replaces a resource in up to three steps, which are one step here.
func (r *Recorder) Add(m apitype.StepEventMetadata) {
	step := NewStep(m)
	protects := step.Type == recorded.DestroyGuardType && step.Change == changes.Create
	if r.Protects = r.Protects || protects; step.Change != changes.Same && step.Change != changes.Read && !protects {
		r.HasChanges = true
	}
	whole := step
	if i := slices.IndexFunc(r.Steps, func(before *changes.Step) bool { return before.URN == step.URN && belongsWith(before, step) }); i >= 0 {
		whole = r.Steps[i]
	} else {
		r.Steps = append(r.Steps, step)
	}
	if r.imports == nil {
		r.imports, r.keepsID = map[*changes.Step]bool{}, map[*changes.Step]bool{}
	}
	r.imports[whole] = r.imports[whole] || m.Op == apitype.OpImportReplacement
	r.keepsID[whole] = r.keepsID[whole] || m.Op == apitype.OpReplace && m.Old != nil && m.New != nil && m.Old.ID != "" && m.Old.ID == m.New.ID
	if whole != step {
		merge(whole, step)
	}
	if r.imports[whole] && r.keepsID[whole] {
		// If the program read the resource before and imports it now, the engine plans a replacement by a resource with the same ID.
		whole.Change = changes.Import
	}
}

// Continued returns the steps of an operation in two parts. A resource that the first part did not change is counted once, by what the second
// part did with it.
func Continued(first, second []*changes.Step) []*changes.Step {
	steps := slices.DeleteFunc(slices.Clone(first), func(before *changes.Step) bool {
		return (before.Change == changes.Same || before.Change == changes.Read) &&
			slices.ContainsFunc(second, func(s *changes.Step) bool { return s.URN == before.URN })
	})
	return append(steps, second...)
}

// belongsWith reports whether two steps of the engine are parts of one. The deletion of an old resource whose successor is unchanged is
// separate: an earlier run left it.
func belongsWith(s *changes.Step, other *changes.Step) bool {
	replaces := func(c changes.Change) bool { return c == changes.Replace || c == changes.Import }
	return s.Leftover == other.Leftover || replaces(s.Change) && replaces(other.Change)
}

// NewStep returns a step of the engine's, as its events describe it.
func NewStep(m apitype.StepEventMetadata) *changes.Step {
	step := &changes.Step{
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

func merge(s *changes.Step, other *changes.Step) {
	if other.Change == changes.Replace {
		s.Change = changes.Replace
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

func changeOf(op apitype.OpType) changes.Change {
	switch op {
	case apitype.OpCreate:
		return changes.Create
	case apitype.OpUpdate:
		return changes.Update
	case apitype.OpDelete:
		return changes.Delete
	case apitype.OpReplace, apitype.OpCreateReplacement, apitype.OpDeleteReplaced, apitype.OpDiscardReplaced,
		apitype.OpReadReplacement, apitype.OpImportReplacement, apitype.OpRemovePendingReplace:
		return changes.Replace
	case apitype.OpRead, apitype.OpReadDiscard, apitype.OpRefresh:
		return changes.Read
	case apitype.OpImport:
		return changes.Import
	default:
		return changes.Same
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
func Leaves(p *changes.Plan, goals Goals, before []apitype.ResourceV3) []apitype.ResourceV3 {
	ids := map[resource.URN]resource.ID{}
	for _, r := range before {
		ids[r.URN] = r.ID
	}
	inputs, read := map[resource.URN]map[string]any{}, map[resource.URN]bool{}
	for _, step := range p.Steps {
		if step.Change == changes.Import && step.ID != "" {
			ids[resource.URN(step.URN)] = resource.ID(step.ID)
		}
		if step.New != nil {
			inputs[resource.URN(step.URN)] = step.New
		}
		read[resource.URN(step.URN)] = step.Change == changes.Read
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

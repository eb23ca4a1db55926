package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// Events returns the plan's changes as events of status StatusPlanned, and its summary.
func Events(p *changes.Plan) []report.Event {
	var list []report.Event
	for _, step := range Listed(p) {
		list = append(list, &event.Resource{
			Op: apitype.OpType(step.Change), URN: step.URN, Name: step.Name, ID: step.ID, ResourceType: step.Type,
			Status: event.StatusPlanned, Diffs: step.Diffs, Keys: step.Keys, Values: Values(step),
		})
	}
	return append(list, p.Summary)
}

// More returns the steps that change something in a plan, and that the judged one does not have: it leaves the resource
// as it is, does not end it, does not create it, updates it to other values, or takes it over with less that changes.
// Steps that the caller expects are left out.
func More(judged, now *changes.Plan, expects func(*changes.Step) bool) (more []*changes.Step) {
	counts := func(step *changes.Step) bool { return step.Counts() && step.Change != changes.Same }
	covers := func(judged, step *changes.Step) bool {
		switch step.Change { //nolint:exhaustive // what else a judged step did in part, it may complete
		case changes.Create:
			return judged.Change == changes.Create || judged.Change == changes.Replace
		case changes.Import:
			return judged.Change == changes.Import && !slices.ContainsFunc(step.Diffs, func(key string) bool {
				return !slices.Contains(judged.Diffs, key)
			})
		case changes.Update:
			return judged.Change != changes.Update || sameValues(judged, step)
		}
		return !ends(step) || ends(judged)
	}
	for _, step := range now.Steps {
		if counts(step) && !expects(step) && !slices.ContainsFunc(judged.Steps, func(s *changes.Step) bool {
			return s.URN == step.URN && counts(s) && covers(s, step)
		}) {
			more = append(more, step)
		}
	}
	return more
}

// sameValues reports whether a judged update has each value that another one sets: the same one, or one that was not
// known yet.
func sameValues(judged, now *changes.Step) bool {
	shown := Values(judged)
	return !slices.ContainsFunc(Values(now), func(value event.Value) bool {
		return !slices.ContainsFunc(shown, func(s event.Value) bool {
			return s.Path == value.Path && reflect.DeepEqual(s.New, value.New) || s.Unknown && related(s.Path, value.Path)
		})
	})
}

// Labels returns the types and names of steps in words.
func Labels(steps []*changes.Step) string {
	var labels []string
	for _, step := range steps {
		labels = append(labels, report.TypeName(step.Type)+" "+step.Name)
	}
	return strings.Join(labels, ", ")
}

// Ends reports whether a step replaces or deletes a resource that is no leftover.
func Ends(step *changes.Step) bool { return ends(step) }

// Listed returns the steps that change a resource, ordered by type: the engine's own order differs between runs.
func Listed(p *changes.Plan) []*changes.Step {
	changed := p.Changed()
	slices.SortStableFunc(changed, func(a, b *changes.Step) int {
		return cmp.Or(cmp.Compare(report.TypeName(a.Type), report.TypeName(b.Type)), cmp.Compare(a.Name, b.Name))
	})
	return changed
}

// Builder makes a plan of the engine's steps.
type Builder struct {
	changes.Plan
	// imports are the steps of which a part imports the resource, keepsID those that are replaced by a resource with the
	// same ID.
	imports, keepsID map[*changes.Step]bool
	// refreshed are the steps that have only read a resource: the engine may change it afterwards.
	refreshed map[*changes.Step]bool
	// unknown are the operations of the engine that this package does not know.
	unknown []string
}

// Add adds a step of the engine to the plan. The engine replaces a resource in up to three steps, which are one step
// here.
func (r *Builder) Add(m apitype.StepEventMetadata) {
	step := NewStep(m)
	if _, known := changeOf(m.Op); !known {
		r.unknown = append(r.unknown, fmt.Sprintf("%s of %s", m.Op, m.URN))
	}
	protects := step.Type == recorded.DestroyGuardType && step.Change == changes.Create
	if r.Protects = r.Protects || protects; step.Change != changes.Same && step.Change != changes.Read && !protects {
		r.HasChanges = true
	}
	whole := step
	if i := slices.IndexFunc(r.Steps, func(before *changes.Step) bool {
		return before.URN == step.URN && belongsWith(before, step)
	}); i >= 0 {
		if r.refreshed[r.Steps[i]] {
			r.Steps[i] = step
		}
		whole = r.Steps[i]
	} else {
		r.Steps = append(r.Steps, step)
	}
	if r.imports == nil {
		r.imports, r.keepsID, r.refreshed = map[*changes.Step]bool{}, map[*changes.Step]bool{}, map[*changes.Step]bool{}
	}
	r.refreshed[whole] = m.Op == apitype.OpRefresh
	r.imports[whole] = r.imports[whole] || m.Op == apitype.OpImportReplacement
	r.keepsID[whole] = r.keepsID[whole] || m.Op == apitype.OpReplace && m.Old != nil && m.New != nil && m.Old.ID != "" &&
		m.Old.ID == m.New.ID
	if whole != step {
		merge(whole, step)
	}
	if r.imports[whole] && r.keepsID[whole] {
		// If the program read the resource before and imports it now, the engine plans a replacement by a resource with the
		// same ID.
		whole.Change = changes.Import
	}
}

// Continued returns the steps of an operation in two parts. A resource that the first part did not change is counted
// once, by what the second part did with it.
func Continued(first, second []*changes.Step) []*changes.Step {
	steps := slices.DeleteFunc(slices.Clone(first), func(before *changes.Step) bool {
		return (before.Change == changes.Same || before.Change == changes.Read) &&
			slices.ContainsFunc(second, func(s *changes.Step) bool { return s.URN == before.URN })
	})
	return append(steps, second...)
}

// belongsWith reports whether two steps of the engine are parts of one. The deletion of an old resource whose successor
// is unchanged is separate: an earlier run left it.
func belongsWith(s *changes.Step, other *changes.Step) bool {
	replaces := func(c changes.Change) bool { return c == changes.Replace || c == changes.Import }
	return s.Leftover == other.Leftover || replaces(s.Change) && replaces(other.Change)
}

// NewStep returns a step of the engine's, as its events describe it.
func NewStep(m apitype.StepEventMetadata) *changes.Step {
	step := &changes.Step{
		URN:   m.URN,
		Name:  urn.URN(m.URN).Name(),
		Type:  m.Type,
		Keys:  m.Keys,
		Diffs: m.Diffs,

		Detailed: slices.Sorted(maps.Keys(m.DetailedDiff)),
	}
	step.Change, _ = changeOf(m.Op) // Recorder.Check reports what is not known
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

// changeOf returns the change that an operation of the engine is, or is a part of; false for an operation that this
// package does not know.
func changeOf(op apitype.OpType) (changes.Change, bool) {
	switch op {
	case apitype.OpSame:
		return changes.Same, true
	case apitype.OpCreate:
		return changes.Create, true
	case apitype.OpUpdate:
		return changes.Update, true
	case apitype.OpDelete:
		return changes.Delete, true
	case apitype.OpReplace, apitype.OpCreateReplacement, apitype.OpDeleteReplaced, apitype.OpDiscardReplaced,
		apitype.OpReadReplacement, apitype.OpImportReplacement, apitype.OpRemovePendingReplace:
		return changes.Replace, true
	case apitype.OpRead, apitype.OpReadDiscard, apitype.OpRefresh:
		return changes.Read, true
	case apitype.OpImport:
		return changes.Import, true
	default:
		return changes.Same, false
	}
}

// isTheLiving reports whether a step deletes, as the old resource of a replacement, the one that stays: both have the
// ID, as policies and settings that their creation overwrites do, and objects.
func isTheLiving(plan *changes.Plan, step *changes.Step) bool {
	return step.Leftover && step.ID != "" && slices.ContainsFunc(plan.Steps, func(other *changes.Step) bool {
		return other != step && !other.Leftover && other.Type == step.Type && other.ID == step.ID &&
			other.Change != changes.Delete
	})
}

// Check fails if an event of the engine could not be classified, or if the engine's own plan changes a resource that
// its events have not reported as changed: what the gates would judge is then not what the engine carries out.
func (r *Builder) Check(goals Goals) error {
	missing := slices.Clone(r.unknown)
	for _, urn := range slices.Sorted(maps.Keys(goals)) {
		for _, op := range goals[urn].Steps {
			change, known := changeOf(op)
			if !known || change != changes.Same && change != changes.Read && !r.reports(urn, change) {
				missing = append(missing, fmt.Sprintf("%s of %s", op, urn))
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return &failure.Error{
		Reason: failure.Failed,
		Problem: "the engine's plan has operations that its events do not explain, so that nobody can judge it; nothing was changed:\n  " +
			strings.Join(missing, "\n  "),
		Remedy: "use the version of Pulumi that `hypershift-aws version` names, and report this",
	}
}

// reports reports whether the steps of a resource have a change of the engine's plan. A replacement and an import may
// stand for any part of them.
func (r *Builder) reports(urn resource.URN, change changes.Change) bool {
	return slices.ContainsFunc(r.Steps, func(s *changes.Step) bool {
		if s.URN != string(urn) {
			return false
		}
		return s.Change == change || s.Change == changes.Replace || s.Change == changes.Import
	})
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

// Leaves returns the resources that would exist after the plan, with their known values. before are the existing
// resources.
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
			URN: urn, Type: goal.Type, Custom: true, ID: ids[urn], External: read[urn], Inputs: inputs[urn],
			Outputs: goals[urn].Outputs,
			Parent:  goal.Parent, Protect: goal.Protect, Provider: goal.Provider, Dependencies: goal.Dependencies,
			PropertyDependencies: goal.PropertyDependencies,
		}
		if r.ID == "" {
			r.ID = resource.ID(urn.Name())
		}
		after = append(after, r)
	}
	return after
}

package savedplan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// CheckFor refuses the plan if it was created for another stack or config than now, or by another version.
func (f *File) CheckFor(now *File) error {
	var list []string
	if f.Project != now.Project || f.Stack != now.Stack {
		list = append(list, fmt.Sprintf("it was created for stack %s of project %s", f.Stack, f.Project))
	}
	if f.Offline != now.Offline {
		list = append(list, map[bool]string{
			true:  "it was made with --offline",
			false: "it was made without --offline",
		}[f.Offline])
	} else if f.Backend != now.Backend && !f.Offline {
		list = append(list, fmt.Sprintf("it was created for the state in %s", f.Backend))
	}
	if f.Version != now.Version {
		list = append(list, fmt.Sprintf("it was created by version %s of hypershift-aws, and this is version %s", f.Version,
			now.Version))
	}
	if len(list) == 0 {
		list = append(f.Config.differences(now.Config), f.Secrets.changed(now.Secrets)...)
	}
	return f.refusal(now.Stack, list)
}

// Gate describes the gate of CheckAgainst.
func Gate() gates.Gate {
	return gates.Gate{
		Name:       "saved-plan",
		Refuses:    "with --plan, a plan or a drift that differs from the saved one, which was reviewed",
		WayOn:      "review a new plan",
		Operations: []gates.Operation{gates.Up},
		Cost:       gates.CostEngine,
	}
}

// CheckAgainst refuses the plan if a new preview has other changes, or if AWS differs from the state in other ways than
// when the plan was made.
func (f *File) CheckAgainst(now *File) error {
	list := driftDifferences(f.Drift, now.Drift)
	steps, err := planDifferences(f.Engine, now.Engine)
	if err != nil {
		return err
	}
	return f.refusal(now.Stack, append(list, steps...))
}

// refusal returns the error for a plan that no longer fits, or nil if nothing differs.
func (f *File) refusal(stack string, differences []string) error {
	if len(differences) == 0 {
		return nil
	}
	const most = 20
	if rest := len(differences) - most; rest > 0 {
		differences = append(differences[:most:most], fmt.Sprintf("and %d more", rest))
	}
	return &failure.Error{
		Reason: failure.ChangesFound,
		Problem: fmt.Sprintf("the plan of %s no longer matches stack %s; nothing was changed:\n    %s",
			f.Made.UTC().Format("2006-01-02 15:04:05 MST"), stack, strings.Join(differences, "\n    ")),
		Remedy: fmt.Sprintf("have a new plan reviewed: `hypershift-aws preview -s %s --save-plan FILE`", stack),
	}
}

func driftDifferences(before, now []changes.Difference) []string {
	key := func(d changes.Difference) string { text, _ := json.Marshal(d); return string(text) }
	known := map[string]bool{}
	for _, d := range before {
		known[key(d)] = true
	}
	var list []string
	for _, d := range now {
		if !known[key(d)] {
			list = append(list, strings.ReplaceAll(strings.TrimSpace(plan.DifferenceText(d, "")), "\n",
				";")+", since the plan was created")
		}
		delete(known, key(d))
	}
	for _, d := range before {
		if known[key(d)] {
			list = append(list, fmt.Sprintf("%s %s (%s) differed from the state when the plan was created, but no longer does", report.TypeName(d.Type), d.Name, d.ID))
		}
	}
	return list
}

// planDifferences returns the resources whose steps or inputs differ between two update plans of the engine.
func planDifferences(before, now json.RawMessage) ([]string, error) {
	was, err := parse(before)
	if err != nil {
		return nil, err
	}
	is, err := parse(now)
	if err != nil {
		return nil, err
	}
	urns := slices.Sorted(maps.Keys(was))
	for urn := range is {
		if _, both := was[urn]; !both {
			urns = append(urns, urn)
		}
	}
	slices.Sort(urns)
	var list []string
	for _, urn := range urns {
		a, planned := was[urn]
		b, wanted := is[urn]
		if isComponent(a.Goal) || isComponent(b.Goal) {
			continue // it is a component, whose resources are listed
		}
		name := report.TypeName(string(urn.Type())) + " " + urn.Name()
		switch {
		case !planned:
			list = append(list, fmt.Sprintf("%s is not in the plan; now: %s", name, steps(b)))
		case !wanted:
			list = append(list, fmt.Sprintf("%s was planned (%s); now it is not in the program", name, steps(a)))
		case !slices.Equal(a.Steps, b.Steps):
			list = append(list, fmt.Sprintf("%s was planned to %s; now: %s", name, steps(a), steps(b)))
		default:
			if !sameGoal(a.Goal, b.Goal) {
				list = append(list, name+" would have other inputs than planned")
			}
		}
	}
	return list, nil
}

func isComponent(goal *apitype.GoalV1) bool { return goal != nil && !goal.Custom }

func parse(text json.RawMessage) (map[resource.URN]apitype.ResourcePlanV1, error) {
	var p apitype.DeploymentPlanV1
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("reading the engine's plan: %w", err)
	}
	return p.ResourcePlans, nil
}

func steps(p apitype.ResourcePlanV1) string {
	var names []string
	for _, op := range p.Steps {
		name := string(op)
		if op == apitype.OpSame {
			name = "leave unchanged"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// sameGoal reports whether two plans give a resource the same inputs and options. Secrets are encrypted differently
// each time, so they count as equal. The config's secrets are compared by their digests.
func sameGoal(a, b *apitype.GoalV1) bool {
	if a == nil || b == nil {
		return a == b
	}
	text := func(g *apitype.GoalV1) []byte {
		text, _ := json.Marshal([]any{
			props.HideSecrets(g.InputDiff.Adds), props.HideSecrets(g.InputDiff.Updates),
			slices.Sorted(slices.Values(g.InputDiff.Deletes)),
			g.Parent, g.Protect, g.Provider, g.ID,
		})
		return text // it has come from JSON
	}
	return bytes.Equal(text(a), text(b))
}

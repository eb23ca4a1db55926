package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// PlannedResources are those that the stack would have after Up, which they are told by a preview. What is not known before AWS
// has made a resource, its ID first of all, is the resource's name in the program in their place, also where other
// resources refer to it. Those that there are already have their IDs.
func (s *Stack) PlannedResources(ctx context.Context) ([]apitype.ResourceV3, error) {
	standing, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	_, goals, err := s.previewGoals(ctx)
	if err != nil {
		return nil, err
	}
	return planned(goals, standing), nil
}

// previewGoals previews an update. It returns the plan, and what the program wants of each resource.
func (s *Stack) previewGoals(ctx context.Context) (*plan.Plan, map[resource.URN]apitype.ResourcePlanV1, error) {
	folder, err := os.MkdirTemp("", "hypershift-aws")
	if err != nil {
		return &plan.Plan{}, nil, fmt.Errorf("making a folder for the plan of stack %s: %w", s.Name, err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is the system's to clean
	file := filepath.Join(folder, "plan.json")
	made, err := s.preview(func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.Preview(ctx, optpreview.EventStreams(ch), optpreview.SuppressOutputs(), optpreview.Plan(file))
		return err
	})
	if err != nil {
		return made, nil, err
	}
	goals, err := readPlan(file)
	if err != nil {
		return made, nil, fmt.Errorf("reading the plan of stack %s: %w", s.Name, err)
	}
	return made, goals, nil
}

// afterPlan are the resources that a plan would leave, with what is known of them.
func afterPlan(made *plan.Plan, goals map[resource.URN]apitype.ResourcePlanV1, before []apitype.ResourceV3) []apitype.ResourceV3 {
	ids := map[resource.URN]resource.ID{}
	for _, r := range before {
		ids[r.URN] = r.ID
	}
	inputs, read := map[resource.URN]map[string]any{}, map[resource.URN]bool{}
	for _, step := range made.Steps {
		if step.New != nil {
			inputs[resource.URN(step.URN)] = step.New
		}
		read[resource.URN(step.URN)] = step.Change == plan.ChangeRead
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

func readPlan(file string) (map[resource.URN]apitype.ResourcePlanV1, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var plan apitype.DeploymentPlanV1
	err = json.Unmarshal(text, &plan)
	return plan.ResourcePlans, err
}

// planned are the plan's resources that stand for something in a cloud.
func planned(plan map[resource.URN]apitype.ResourcePlanV1, standing []apitype.ResourceV3) []apitype.ResourceV3 {
	ids := map[resource.URN]string{}
	for _, r := range standing {
		ids[r.URN] = string(r.ID)
	}
	known := func(urn resource.URN) string {
		if id := ids[urn]; id != "" {
			return id
		}
		return urn.Name()
	}
	var found []apitype.ResourceV3
	for _, urn := range slices.Sorted(maps.Keys(plan)) {
		p := plan[urn]
		if p.Goal == nil || !p.Goal.Custom || strings.HasPrefix(string(p.Goal.Type), "pulumi:") {
			continue
		}
		r := apitype.ResourceV3{URN: urn, Type: p.Goal.Type, Custom: true, ID: resource.ID(known(urn)), Outputs: map[string]any{}}
		for key, value := range p.Outputs {
			names := []string{known(urn)}
			if of := p.Goal.PropertyDependencies[resource.PropertyKey(key)]; len(of) > 0 {
				names = names[:0]
				for _, dependency := range referred(key, of) {
					names = append(names, known(dependency))
				}
			}
			r.Outputs[key] = filled(value, &names)
		}
		found = append(found, r)
	}
	return found
}

// referred are those of a property's dependencies that it refers to: where one has a type of the property's name, as Subnet
// is of subnetIds, the others are only what that one waits for.
func referred(property string, dependencies []resource.URN) []resource.URN {
	stem := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(property, "s"), "Id"))
	named := slices.DeleteFunc(slices.Clone(dependencies), func(urn resource.URN) bool {
		return !strings.HasSuffix(strings.ToLower(urn.Type().String()), stem)
	})
	if len(named) > 0 {
		return named
	}
	return dependencies
}

// filled is a value with the names, one after the other, for what is not known in it; the last stands for the rest.
func filled(value any, names *[]string) any {
	switch value := value.(type) {
	case string:
		if value != plan.UnknownValue {
			return value
		}
		name := (*names)[0]
		if len(*names) > 1 {
			*names = (*names)[1:]
		}
		return name
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = filled(item, names)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			object[key] = filled(value[key], names)
		}
		return object
	}
	return value
}

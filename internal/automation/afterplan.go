package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// previewGoals previews an update. It returns the plan, and what the program wants of each resource.
func (s *Stack) previewGoals(ctx context.Context) (*plan.Plan, map[resource.URN]apitype.ResourcePlanV1, error) {
	folder, err := os.MkdirTemp("", "hypershift-aws")
	if err != nil {
		return &plan.Plan{}, nil, fmt.Errorf("making a folder for the plan of stack %s: %w", s.Name, err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is the system's to clean
	file := filepath.Join(folder, "plan.json")
	made, err := s.preview(ctx, func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.Preview(ctx, optpreview.EventStreams(ch), optpreview.SuppressOutputs(), optpreview.Plan(file))
		return err
	})
	if err != nil {
		return made, nil, err
	}
	goals, text, err := readPlan(file)
	made.Engine = text
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
		if step.Change == plan.ChangeImport && step.ID != "" {
			ids[resource.URN(step.URN)] = resource.ID(step.ID)
		}
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

func readPlan(file string) (map[resource.URN]apitype.ResourcePlanV1, json.RawMessage, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	var plan apitype.DeploymentPlanV1
	err = json.Unmarshal(text, &plan)
	return plan.ResourcePlans, text, err
}

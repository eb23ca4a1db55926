package plan

import (
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

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

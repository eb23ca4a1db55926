package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
)

// goalDiff is how inputs or outputs of a resource differ from those before, in the engine's plan.
type goalDiff struct {
	Adds    map[string]any `json:"adds,omitempty"`
	Deletes []string       `json:"deletes,omitempty"`
	Updates map[string]any `json:"updates,omitempty"`
}

// open returns a difference that allows every value of what there was before, of what the plan has, and of more. To the
// engine, an input that is null is none: an import records such inputs.
func (d goalDiff) open(before map[string]any, more ...string) goalDiff {
	open := goalDiff{Adds: map[string]any{}, Updates: map[string]any{}}
	for key, value := range before {
		if value != nil {
			open.Updates[key] = changes.UnknownValue
		}
	}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(d.Adds)), slices.Collect(maps.Keys(d.Updates)), more) {
		if before[key] == nil {
			open.Adds[key] = changes.UnknownValue
		}
	}
	return open
}

// Constraint returns the engine's plan as a constraint of an update. Two things are left open in it:
//   - what components and the stack return, which changes nothing: a provider may learn of a new value only in the
//     update,
//     and the engine would then end without a word. more are outputs that only an update has;
//   - the inputs of resources that are Incomplete, which the engine compares with none in the plan, and with those
//     before
//     in the update.
//
// live returns the resource of a URN before the update, a zero one if there is none.
func Constraint(
	judged *changes.Plan,
	live func(urn string) apitype.ResourceV3,
	more ...string,
) ([]byte, error) {
	var whole map[string]json.RawMessage
	var plans map[string]map[string]json.RawMessage
	if err := json.Unmarshal(judged.Engine, &whole); err != nil {
		return nil, fmt.Errorf("reading the engine's plan: %w", err)
	}
	if err := json.Unmarshal(whole["resourcePlans"], &plans); err != nil {
		return nil, fmt.Errorf("reading the resources of the engine's plan: %w", err)
	}
	incomplete := map[string]bool{}
	for _, step := range judged.Steps {
		incomplete[step.URN] = incomplete[step.URN] || Incomplete(judged, step)
	}
	for urn, of := range plans {
		var err error
		switch custom := isCustom(of["goal"]); {
		case len(of["goal"]) == 0:
		case !custom:
			of["goal"], err = opened(of["goal"], "outputDiff", live(urn).Outputs, more...)
		case incomplete[urn]:
			of["goal"], err = opened(of["goal"], "inputDiff", live(urn).Inputs)
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s in the engine's plan: %w", urn, err)
		}
	}
	var err error
	if whole["resourcePlans"], err = json.Marshal(plans); err != nil {
		return nil, fmt.Errorf("writing the engine's plan: %w", err)
	}
	return json.Marshal(whole)
}

func isCustom(goal json.RawMessage) bool {
	var of struct{ Custom bool }
	return json.Unmarshal(goal, &of) == nil && of.Custom
}

// opened returns a goal with an open difference.
func opened(goal json.RawMessage, field string, before map[string]any, more ...string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(goal, &fields); err != nil {
		return nil, err
	}
	var planned goalDiff
	if given := fields[field]; len(given) > 0 {
		if err := json.Unmarshal(given, &planned); err != nil {
			return nil, err
		}
	}
	open, err := json.Marshal(planned.open(before, more...))
	if err != nil {
		return nil, err
	}
	fields[field] = open
	return json.Marshal(fields)
}

package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
)

// goalOutputs are the outputs of a component in the engine's plan: those of RegisterResourceOutputs.
type goalOutputs struct {
	Adds    map[string]any `json:"adds,omitempty"`
	Deletes []string       `json:"deletes,omitempty"`
	Updates map[string]any `json:"updates,omitempty"`
}

// Constraint returns the engine's plan as a constraint of an update: it leaves open what components and the stack
// return. Those are results, and change nothing; a provider may learn of a new value only in the update, and the engine
// would then end without a word. before are the outputs in the state by URN, and more are the stack's outputs that only
// an update has.
func Constraint(text []byte, before map[string]map[string]any, more ...string) ([]byte, error) {
	var whole map[string]json.RawMessage
	var plans map[string]map[string]json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("reading the engine's plan: %w", err)
	}
	if err := json.Unmarshal(whole["resourcePlans"], &plans); err != nil {
		return nil, fmt.Errorf("reading the resources of the engine's plan: %w", err)
	}
	for urn, of := range plans {
		var goal map[string]json.RawMessage
		if len(of["goal"]) == 0 || json.Unmarshal(of["goal"], &goal) != nil || goal == nil ||
			string(goal["custom"]) == "true" {
			continue
		}
		var planned goalOutputs
		if given := goal["outputDiff"]; len(given) > 0 {
			if err := json.Unmarshal(given, &planned); err != nil {
				return nil, fmt.Errorf("reading the outputs of %s in the engine's plan: %w", urn, err)
			}
		}
		open := goalOutputs{Adds: map[string]any{}, Updates: map[string]any{}}
		for key := range before[urn] {
			open.Updates[key] = changes.UnknownValue
		}
		for _, key := range slices.Concat(slices.Collect(maps.Keys(planned.Adds)),
			slices.Collect(maps.Keys(planned.Updates)), more) {
			if _, had := before[urn][key]; !had {
				open.Adds[key] = changes.UnknownValue
			}
		}
		var err error
		if goal["outputDiff"], err = json.Marshal(open); err != nil {
			return nil, fmt.Errorf("writing the engine's plan: %w", err)
		}
		if of["goal"], err = json.Marshal(goal); err != nil {
			return nil, fmt.Errorf("writing the engine's plan: %w", err)
		}
	}
	var err error
	if whole["resourcePlans"], err = json.Marshal(plans); err != nil {
		return nil, fmt.Errorf("writing the engine's plan: %w", err)
	}
	return json.Marshal(whole)
}

package aws

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Further returns the properties that each request of the provider sets that follows the first one of a creation with these inputs, in the order
// of the requests.
func Further(token string, inputs props.Map) [][]string {
	var further [][]string
	for _, r := range Sections()[token].requests {
		if r.operation == Creating && len(r.sets) > 0 && r.sent(states{now: inputs}) {
			further = append(further, r.sets)
		}
	}
	return further
}

// unfinished reduces inputs to those of a creation that ends after a number of the requests that follow the first one, and returns the properties
// that the other requests would have set. The instance gets AWS's values for them.
func (k *Kind) unfinished(inputs props.Map, requests int) (reduced props.Map, unset []string) {
	further := Further(k.Token, inputs)
	reduced = inputs.Clone()
	for _, sets := range further[min(requests, len(further)):] {
		unset = append(unset, sets...)
	}
	if slices.Contains(unset, "tags") {
		reduced["tagsAll"] = map[string]any{}
	}
	for _, name := range unset {
		delete(reduced, name)
		if value, has := k.Defaults[name]; has {
			reduced[name] = props.CloneValue(value)
		}
	}
	return reduced, unset
}

package aws

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// Check completes the inputs of a resource and lists the errors in them.
func (k *Kind) Check(at Site, name string, seed []byte, olds, news props.Map) (props.Map, []props.Failure) {
	inputs := news.Clone()
	k.autoName(name, seed, olds, inputs)
	for input, v := range k.Defaults {
		if !inputs.Has(input) {
			inputs[input] = v
		}
	}
	for input, form := range k.CompareAs {
		if document, ok := inputs[input].(map[string]any); ok && form == props.AsDocument && !props.HoldsUnknown(document) {
			text, _ := json.Marshal(document) // property values always marshal
			inputs[input] = string(text)
		}
	}
	failures := k.Inputs.Faults("", inputs)
	for _, input := range k.Required {
		if !inputs.Has(input) {
			failures = append(failures, props.Missing(input))
		}
	}
	failures = append(failures, k.choiceFaults(inputs)...)
	failures = append(failures, k.valueFaults(inputs)...)
	if k.allTagsAreInput {
		inputs["tagsAll"] = at.allTags(inputs["tags"])
	}
	return inputs, failures
}

// autoName names a resource whose name is left out, as pulumi-aws does: the resource's own name and seven hex digits,
// which stay the same as long as the resource exists.
func (k *Kind) autoName(name string, seed []byte, olds, inputs props.Map) {
	if k.AutoName == "" || inputs.Has(k.AutoName) || inputs.Has("namePrefix") {
		return
	}
	if old := olds.String(k.AutoName); old != "" {
		inputs[k.AutoName] = old
		return
	}
	sum := sha256.Sum256(append([]byte(name), seed...))
	inputs[k.AutoName] = name + "-" + hex.EncodeToString(sum[:])[:7]
}

func (k *Kind) choiceFaults(inputs props.Map) []props.Failure {
	var failures []props.Failure
	for _, group := range k.ExactlyOneOf {
		switch Present(inputs, group); len(Present(inputs, group)) {
		case 0:
			failures = append(failures, props.Failure{
				Path:   group[0],
				Reason: fmt.Sprintf("one of `%s` must be specified.", strings.Join(group, ",")),
			})
		case 1:
		default:
			failures = append(failures, props.Failure{Path: Present(inputs, group)[1], Reason: fmt.Sprintf(
				"only one of `%s` can be specified.", strings.Join(group, ","))})
		}
	}
	for _, group := range k.ConflictsWith {
		if both := Present(inputs, group); len(both) > 1 {
			failures = append(failures, props.Failure{
				Path:   both[1],
				Reason: fmt.Sprintf("%q conflicts with %q.", both[1], both[0]),
			})
		}
	}
	return failures
}

// Present returns the names that are set in inputs.
func Present(inputs props.Map, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !inputs.Has(name) })
}

func (k *Kind) valueFaults(inputs props.Map) []props.Failure {
	var failures []props.Failure
	for _, name := range inputs.Keys() {
		value, known := inputs[name].(string)
		if !known {
			continue
		}
		if allowed := k.Enums[name]; allowed != nil && !slices.Contains(allowed, value) {
			failures = append(failures, props.Failure{
				Path:   name,
				Reason: fmt.Sprintf("expected %s to be one of %q, got %s.", name, allowed, value),
			})
		}
		if wrong := k.ValidateFunc[name]; wrong != nil {
			if reason := wrong(value); reason != "" {
				failures = append(failures, props.Failure{Path: name, Reason: reason + "."})
			}
		}
	}
	return failures
}

// withAllTags adds the tags that AWS gets to inputs that do not have them.
func (k *Kind) withAllTags(at Site, inputs props.Map) props.Map {
	if _, taggable := k.Inputs["tags"]; taggable && !k.allTagsAreInput {
		inputs = inputs.Clone()
		inputs["tagsAll"] = at.allTags(inputs["tags"])
	}
	return inputs
}

// planned returns the result of a preview's creation: the inputs, and unknown values for what AWS computes.
func (k *Kind) planned(inputs props.Map) props.Map {
	out := inputs.Clone()
	for name := range k.Outputs {
		_, input := k.Inputs[name]
		if !out.Has(name) && (!input || slices.Contains(k.Computed, name)) {
			out[name] = props.Unknown{}
		}
	}
	return out
}

// refreshed returns the old inputs with their current values.
func (k *Kind) refreshed(state, olds props.Map) props.Map {
	inputs := props.Map{}
	for name, old := range olds {
		now := state[name]
		switch {
		case k.CompareAs[name].Same(old, now):
			// Kept as the program wrote it: a document in its own layout, a set in its own order.
			inputs[name] = old
		case now != nil:
			inputs[name] = untyped.Clone(now)
		}
	}
	return inputs
}

// imported returns the inputs that would create the resource as it is.
func (k *Kind) imported(state props.Map) props.Map {
	inputs := props.Map{}
	for name := range k.Inputs {
		if slices.Contains(k.Unread, name) {
			continue
		}
		if _, defaulted := k.Defaults[name]; state.Has(name) && (defaulted || !props.IsBlank(state[name])) {
			inputs[name] = untyped.Clone(state[name])
		}
	}
	for _, group := range slices.Concat(k.ExactlyOneOf, k.ConflictsWith) {
		// AWS returns both of two conflicting inputs; an import keeps the first.
		for i, name := range Present(inputs, group) {
			if i > 0 {
				delete(inputs, name)
			}
		}
	}
	if k.allTagsAreInput {
		inputs["tagsAll"] = untyped.Clone(state["tagsAll"])
	}
	return inputs
}

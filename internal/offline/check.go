package offline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// failure is something wrong with an input.
type failure struct{ path, reason string }

// property is the input that the path is in.
func (f failure) property() string {
	end := strings.IndexAny(f.path, ".[")
	if end < 0 {
		return f.path
	}
	return f.path[:end]
}

// check completes the inputs of a resource and lists what is wrong with them.
func (k *kind) check(at site, name string, seed []byte, olds, news props) (props, []failure) {
	inputs := news.clone()
	k.giveName(name, seed, olds, inputs)
	for input, v := range k.defaults {
		if !inputs.has(input) {
			inputs[input] = v
		}
	}
	for input, form := range k.forms {
		if document, ok := inputs[input].(map[string]any); ok && form == asDocument && !holdsUnknown(document) {
			text, _ := json.Marshal(document) // property values always marshal
			inputs[input] = string(text)
		}
	}
	failures := k.inputs.faults("", inputs)
	for _, input := range k.required {
		if !inputs.has(input) {
			failures = append(failures, missing(input))
		}
	}
	failures = append(failures, k.choiceFaults(inputs)...)
	failures = append(failures, k.valueFaults(inputs)...)
	if _, taggable := k.inputs["tags"]; taggable {
		inputs["tagsAll"] = at.allTags(inputs["tags"])
	}
	return inputs, failures
}

// giveName names a resource whose name is left out as pulumi-aws does: the resource's own name and seven hex digits,
// the same ones for as long as it lives.
func (k *kind) giveName(name string, seed []byte, olds, inputs props) {
	if k.named == "" || inputs.has(k.named) || inputs.has("namePrefix") {
		return
	}
	if old := olds.text(k.named); old != "" {
		inputs[k.named] = old
		return
	}
	sum := sha256.Sum256(append([]byte(name), seed...))
	inputs[k.named] = name + "-" + hex.EncodeToString(sum[:])[:7]
}

func (k *kind) choiceFaults(inputs props) []failure {
	var failures []failure
	for _, group := range k.oneOf {
		switch given(inputs, group); len(given(inputs, group)) {
		case 0:
			failures = append(failures, failure{group[0], fmt.Sprintf("one of `%s` must be specified.", strings.Join(group, ","))})
		case 1:
		default:
			failures = append(failures, failure{given(inputs, group)[1], fmt.Sprintf(
				"only one of `%s` can be specified.", strings.Join(group, ","))})
		}
	}
	for _, group := range k.apart {
		if both := given(inputs, group); len(both) > 1 {
			failures = append(failures, failure{both[1], fmt.Sprintf("%q conflicts with %q.", both[1], both[0])})
		}
	}
	return failures
}

func given(inputs props, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !inputs.has(name) })
}

func (k *kind) valueFaults(inputs props) []failure {
	var failures []failure
	for _, name := range inputs.keys() {
		value, known := inputs[name].(string)
		if !known {
			continue
		}
		if allowed := k.enums[name]; allowed != nil && !slices.Contains(allowed, value) {
			failures = append(failures, failure{name, fmt.Sprintf("expected %s to be one of %q, got %s.", name, allowed, value)})
		}
		if wrong := k.valid[name]; wrong != nil {
			if reason := wrong(value); reason != "" {
				failures = append(failures, failure{name, reason + "."})
			}
		}
	}
	return failures
}

// planned is what a preview knows of a resource that is to be made: its inputs, and that the rest will be known.
func (k *kind) planned(inputs props) props {
	out := inputs.clone()
	for name := range k.outputs {
		_, input := k.inputs[name]
		if !out.has(name) && (!input || slices.Contains(k.computed, name)) {
			out[name] = unknown{}
		}
	}
	return out
}

// refreshed are the inputs of before with their values of now.
func (k *kind) refreshed(state, olds props) props {
	inputs := props{}
	for name, old := range olds {
		now := state[name]
		switch {
		case k.forms[name].same(old, now):
			// Kept as it was written: a document in its own layout, a set in its own order.
			inputs[name] = old
		case now != nil:
			inputs[name] = cloneValue(now)
		}
	}
	return inputs
}

// imported are the inputs that would make a resource as it is found.
func (k *kind) imported(state props) props {
	inputs := props{}
	for name := range k.inputs {
		if _, defaulted := k.defaults[name]; state.has(name) && (defaulted || !blank(state[name])) {
			inputs[name] = cloneValue(state[name])
		}
	}
	for _, group := range slices.Concat(k.oneOf, k.apart) {
		// AWS reports what excludes one another as an input; an import keeps the first.
		for i, name := range given(inputs, group) {
			if i > 0 {
				delete(inputs, name)
			}
		}
	}
	if _, taggable := k.inputs["tags"]; taggable {
		inputs["tagsAll"] = cloneValue(state["tagsAll"])
	}
	return inputs
}

// blank says whether a value says nothing: absent, empty, false or 0.
func blank(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	default:
		return false
	}
}

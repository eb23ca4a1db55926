package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// MergePatch merges what a user writes for an object's spec, a patch, into the spec that a component builds: maps key
// by key, all other values as a whole; nil removes a field. The patch is not changed. The error lists the values that
// PatchValues cannot convert; the spec is then unchanged.
func MergePatch(spec, patch map[string]any) error {
	values, err := PatchValues(patch)
	if err != nil {
		return err
	}
	merge(spec, values)
	return nil
}

func merge(into, from map[string]any) {
	for key, value := range from {
		inner, isMap := value.(map[string]any)
		before, wasMap := into[key].(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case isMap && wasMap:
			merge(before, inner)
		default:
			into[key] = value
		}
	}
}

// PatchValues returns a copy of a patch whose values have the types that Kubernetes decodes JSON into: a Go program may
// write an int, a []string or a struct. The error lists the values that JSON cannot have, with their paths.
func PatchValues(patch map[string]any) (map[string]any, error) {
	var faults fault.Faults
	values, _ := decoded(&faults, "", patch).(map[string]any)
	return values, faults.Err()
}

func decoded(faults *fault.Faults, path string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out[key] = decoded(faults, strings.TrimPrefix(path+"."+key, "."), v[key])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = decoded(faults, fmt.Sprintf("%s[%d]", path, i), inner)
		}
		return out
	}
	text, err := json.Marshal(value)
	var out any
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		faults.Add(path, nil, fmt.Sprintf("has the Go type %T, which JSON cannot have", value),
			"use texts, numbers, booleans, lists and maps")
	}
	return out
}

// PatchHas reports whether the value at a path such as "a.b[0]" of a spec, or a value around it, came from the patch.
func PatchHas(patch map[string]any, path string) bool {
	values, err := PatchValues(patch)
	if err != nil {
		return false // MergePatch refuses the patch
	}
	var at any = values
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' }) {
		inner, isMap := at.(map[string]any)
		if !isMap {
			return at != nil
		}
		var ok bool
		if at, ok = inner[key]; !ok {
			return false
		}
	}
	return true
}

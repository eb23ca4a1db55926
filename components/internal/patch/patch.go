// Package patch merges what a user writes for an object's spec into the spec that a component builds. Every component with such an input
// uses it, so that one rule holds for all of them.
package patch

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// Merge merges a patch into a spec: maps key by key, all other values as a whole; nil removes a field. The patch is not changed.
func Merge(spec, patch map[string]any) {
	merge(spec, runtime.DeepCopyJSON(patch))
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

// Has reports whether the value at a path such as "a.b[0]" of a spec, or a value around it, came from the patch.
func Has(patch map[string]any, path string) bool {
	var at any = patch
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

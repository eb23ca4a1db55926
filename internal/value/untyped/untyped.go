// Package untyped walks values as JSON has them: map[string]any, []any, texts, numbers, booleans and nil. Objects of
// Kubernetes, stack files and the properties of resources consist of such values.
package untyped

import "slices"

// Map returns a copy of a value in which each value is replaced by what replace returns for it: first those in maps and
// lists, then the maps and lists themselves, which are copies and may be changed. The value itself is not changed.
func Map(value any, replace func(any) any) any {
	switch v := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, inner := range v {
			object[key] = Map(inner, replace)
		}
		return replace(object)
	case []any:
		list := make([]any, len(v))
		for i, inner := range v {
			list[i] = Map(inner, replace)
		}
		return replace(list)
	}
	return replace(value)
}

// Clone returns a deep copy of a value.
func Clone(value any) any {
	return Map(value, func(inner any) any { return inner })
}

// Contains reports whether a function is true of a value, or of a value in its maps and lists.
func Contains(value any, is func(any) bool) bool {
	if is(value) {
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			if Contains(inner, is) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return Contains(inner, is) })
	}
	return false
}

// WithoutNulls returns a copy of an object without nulls, at any depth.
func WithoutNulls(object map[string]any) map[string]any {
	return Map(object, func(inner any) any {
		if o, isObject := inner.(map[string]any); isObject {
			for key, field := range o {
				if field == nil {
					delete(o, key)
				}
			}
		}
		return inner
	}).(map[string]any)
}

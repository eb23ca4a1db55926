package props

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// IsBlank reports whether a value is absent, empty, false or 0.
func IsBlank(v any) bool {
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

// Form is the normalized form in which two values are compared.
type Form int

const (
	// asIs compares values as they are.
	_ Form = iota
	// AsSet compares lists without their order.
	AsSet
	// AsDocument compares the content of JSON texts.
	AsDocument
	// AsURL ignores the scheme.
	AsURL
	// AsDomain ignores case and a trailing dot.
	AsDomain
	// AsVPCs compares the VPCs of a zone by their IDs, without their order.
	AsVPCs
)

// Of returns a value in the form.
func (f Form) Of(v any) any {
	if v == nil || HoldsUnknown(v) {
		return v
	}
	text, isText := v.(string)
	switch {
	case f == AsSet:
		return sorted(v)
	case f == AsVPCs:
		return sorted(vpcIDs(v))
	case f == AsDocument && isText:
		return CanonicalJSON(text)
	case f == AsURL && isText:
		_, rest, found := strings.Cut(text, "://")
		if found {
			return rest
		}
	case f == AsDomain && isText:
		return strings.ToLower(strings.TrimSuffix(text, "."))
	}
	return v
}

// sorted returns a list in a canonical order. Blank values in its objects are left out: an absent "self" equals a false
// one.
func sorted(v any) any {
	l, ok := v.([]any)
	if !ok {
		return v
	}
	l = slices.Clone(l)
	for i, e := range l {
		if o, ok := e.(map[string]any); ok {
			o = maps.Clone(o)
			for k, inner := range o {
				o[k] = sorted(inner)
			}
			maps.DeleteFunc(o, func(_ string, v any) bool { return IsBlank(v) })
			l[i] = o
		}
	}
	slices.SortFunc(l, func(a, b any) int { return strings.Compare(JSONText(a), JSONText(b)) })
	return l
}

// vpcIDs returns the IDs in a list of VPCs.
func vpcIDs(v any) any {
	list, isList := v.([]any)
	if !isList {
		return v
	}
	ids := make([]any, len(list))
	for i, item := range list {
		object, _ := item.(map[string]any)
		ids[i] = object["vpcId"]
	}
	return ids
}

// Same reports whether now equals old in form f. Objects in a list may have additional fields that AWS fills in.
func (f Form) Same(old, now any) bool {
	return isSubset(f.Of(old), f.Of(now), f == AsSet || f == AsVPCs)
}

func isSubset(old, now any, unordered bool) bool {
	olds, isList := old.([]any)
	nows, _ := now.([]any)
	if !isList || len(olds) != len(nows) {
		return reflect.DeepEqual(old, now) || IsBlank(old) && IsBlank(now)
	}
	nows = slices.Clone(nows)
	for i, o := range olds {
		at := i
		if unordered {
			at = slices.IndexFunc(nows, func(n any) bool { return coversObject(o, n) })
		}
		if at < 0 || !coversObject(o, nows[at]) {
			return false
		}
		nows[at] = nil // each can match once
	}
	return true
}

func coversObject(old, now any) bool {
	o, isObject := old.(map[string]any)
	n, _ := now.(map[string]any)
	if !isObject || n == nil {
		return reflect.DeepEqual(old, now)
	}
	for k, v := range o {
		if !isSubset(v, n[k], true) {
			return false
		}
	}
	return true
}

// JSONText returns a value as compact JSON.
func JSONText(v any) string {
	text, _ := json.Marshal(v) // property values always marshal
	return string(text)
}

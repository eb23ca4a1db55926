package props

import (
	"encoding/json"
	"slices"
	"strings"
)

// CanonicalJSON returns the content of a JSON document in a canonical form: without the order of keys, and as in policies without the order
// of lists of strings, with a list of one string as the string.
func CanonicalJSON(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	return canonical(v)
}

func canonical(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := make(map[string]any, len(v))
		for k, e := range v {
			o[k] = canonical(e)
		}
		return o
	case []any:
		l := make([]any, len(v))
		allText := true
		for i, e := range v {
			l[i] = canonical(e)
			_, text := e.(string)
			allText = allText && text
		}
		if len(l) == 1 {
			return l[0]
		}
		if allText {
			slices.SortFunc(l, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
		return l
	default:
		return v
	}
}

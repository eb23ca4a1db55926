package props

import "slices"

// Holds reports whether a function is true of a value, or of a value in its maps and lists.
func Holds(value any, is func(any) bool) bool {
	if is(value) {
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			if Holds(inner, is) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return Holds(inner, is) })
	}
	return false
}

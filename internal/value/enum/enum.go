// Package enum checks closed enumerations: string types whose values are constants.
package enum

import (
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// Validate returns a fault with the problem where value is neither the zero value, which is a field's default, nor one
// of known. The remedy lists them.
func Validate[E ~string](value E, problem string, known ...E) error {
	if value == "" {
		return nil
	}
	return OneOf(value, problem, known...)
}

// OneOf is like Validate, for a value without a default.
func OneOf[E ~string](value E, problem string, known ...E) error {
	if slices.Contains(known, value) {
		return nil
	}
	names := make([]string, len(known))
	for i, name := range known {
		names[i] = string(name)
	}
	last := len(names) - 1
	remedy := "use " + names[last]
	if last > 0 {
		remedy = "use " + strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return &fault.Fault{Value: string(value), Problem: problem, Remedy: remedy}
}

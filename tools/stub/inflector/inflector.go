// Package inflector replaces the library of the same name when the engine is built. The language hosts name variables
// with it in the programs that they generate; the engine has that code, but does not call it. The library prepares its
// rules at each start of the engine.
package inflector

import "strings"

// Pluralize appends an s.
func Pluralize(word string) string { return word + "s" }

// Singularize removes an s at the end.
func Singularize(word string) string { return strings.TrimSuffix(word, "s") }

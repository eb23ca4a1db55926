package props

import (
	"fmt"
	"strings"
)

// Failure is an error in an input.
type Failure struct{ Path, Reason string }

// Property returns the input that the path is in.
func (f Failure) Property() string {
	end := strings.IndexAny(f.Path, ".[")
	if end < 0 {
		return f.Path
	}
	return f.Path[:end]
}

// Missing returns the failure of a required property that is not set.
func Missing(path string) Failure {
	return Failure{path, fmt.Sprintf(
		"Missing required argument. The argument %q is required, but no definition was found.", path)}
}

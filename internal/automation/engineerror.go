package automation

import (
	"errors"
	"strings"
)

// engineError is a failed run of the engine by this package itself.
type engineError struct {
	stderr string
	err    error
}

var _ error = (*engineError)(nil)

func (e *engineError) Error() string { return e.err.Error() + ": " + e.stderr }
func (e *engineError) Unwrap() error { return e.err }

// stderrOf is what the engine said on stderr. The Automation API's error keeps it to itself but for its
// text, of which it is the end.
func stderrOf(err error) string {
	var own *engineError
	if errors.As(err, &own) {
		return own.stderr
	}
	text := err.Error()
	if i := strings.LastIndex(text, "\nstderr: "); i >= 0 {
		text = text[i+len("\nstderr: "):]
	}
	return text
}

package engine

import (
	"errors"
	"strings"
)

// Error is the error of a failed run of the engine by this package itself.
type Error struct {
	Stderr string
	Err    error
}

var _ error = (*Error)(nil)

func (e *Error) Error() string { return e.Err.Error() + ": " + e.Stderr }
func (e *Error) Unwrap() error { return e.Err }

// Stderr returns what the engine wrote to stderr. The Automation API's error only has it at the end of its text.
func Stderr(err error) string {
	var own *Error
	if errors.As(err, &own) {
		return own.Stderr
	}
	text := err.Error()
	if i := strings.LastIndex(text, "\nstderr: "); i >= 0 {
		text = text[i+len("\nstderr: "):]
	}
	return text
}

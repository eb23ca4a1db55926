// Package awserr has the errors that AWS returns for refused calls.
package awserr

import (
	"errors"
	"fmt"
)

// Error is an error of AWS's API.
type Error struct {
	Code, message string
}

var _ error = (*Error)(nil)

func (r *Error) Error() string { return r.Code + ": " + r.message }

// ErrorCode returns the code, as errors of AWS's SDK do.
func (r *Error) ErrorCode() string { return r.Code }

// Errorf returns an error with one of AWS's error codes.
func Errorf(code, format string, args ...any) error {
	return &Error{Code: code, message: fmt.Sprintf(format, args...)}
}

// Is reports whether AWS has refused a call: controllers report such an error in conditions, and try again.
func Is(err error) bool {
	var refused *Error
	return errors.As(err, &refused)
}

// Template is an error whose message contains an ID.
type Template struct {
	Code, Text string
}

// For returns the error for the instance of that ID.
func (a Template) For(id string) error { return Errorf(a.Code, a.Text, id) }

// Package awserr has AWS's answers to calls that it does not carry out.
package awserr

import (
	"fmt"
)

// Error is AWS's answer to a call that it does not carry out.
type Error struct {
	Code, message string
}

var _ error = (*Error)(nil)

func (r *Error) Error() string { return r.Code + ": " + r.message }

// ErrorCode is the code, as an error of AWS's SDK gives it.
func (r *Error) ErrorCode() string { return r.Code }

// Errorf answers with one of AWS's error codes.
func Errorf(code, format string, args ...any) error {
	return &Error{Code: code, message: fmt.Sprintf(format, args...)}
}

// Template is a refusal whose message has one place for an ID.
type Template struct {
	Code, Text string
}

// For is the error for the instance of that ID.
func (a Template) For(id string) error { return Errorf(a.Code, a.Text, id) }

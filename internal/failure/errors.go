package failure

import "errors"

// Reason is why something was not done. Each has an exit code of its own.
type Reason int

const (
	// Failed is an operation that was begun and did not succeed, or could not be begun.
	Failed Reason = iota
	// Refused is input that cannot work, or a plan that must not be carried out.
	Refused
	// ChangesFound is a difference where none was expected.
	ChangesFound
	// Conflict is a stack that somebody else is working on, or that is something else than thought.
	Conflict
	// Interrupted is an operation that was stopped by a signal.
	Interrupted
)

// Code tells programs which of the things with one reason it is.
type Code string

// The codes.
const (
	// CodeLocked is a stack that another update holds.
	CodeLocked Code = "locked"
	// CodeBackend is a state's backend that cannot be used.
	CodeBackend Code = "backend"
)

// CodeOf returns the code that err carries, "" where it carries none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Error says what could not be done and what to do about it.
type Error struct {
	Reason Reason
	// Code says more than the reason, "" for most.
	Code Code
	// Problem is a sentence without its full stop: what was being done, to what, and why it did not work.
	Problem string
	// Remedy says what to do next; "" where the problem says it.
	Remedy string
	// Cause is the error underneath, nil where there is none.
	Cause error
}

var _ error = (*Error)(nil)

// Error gives the problem and then the remedy.
func (e *Error) Error() string {
	if e.Remedy == "" {
		return e.Problem
	}
	return e.Problem + "\n  " + e.Remedy
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ReasonOf returns the reason that err carries, Failed where it carries none.
func ReasonOf(err error) Reason {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return Failed
}

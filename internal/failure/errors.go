package failure

import "errors"

// Reason is why something was not done. Each has a separate exit code.
type Reason int

const (
	// Failed is an operation that was begun and did not succeed, or could not be begun.
	Failed Reason = iota
	// Refused is input that cannot work, or a plan that must not be carried out.
	Refused
	// ChangesFound is a difference where none was expected.
	ChangesFound
	// Conflict is a stack that is in use, or that is not what it was expected to be.
	Conflict
	// Interrupted is an operation that was stopped by a signal.
	Interrupted
)

// Code distinguishes errors with the same reason for programs.
type Code string

// The codes.
const (
	// CodeLocked is a stack that another update has locked.
	CodeLocked Code = "locked"
	// CodeBackend is a state's backend that cannot be used.
	CodeBackend Code = "backend"
)

// Error is what could not be done, and the remedy.
type Error struct {
	Reason Reason
	// Code is more specific than the reason, "" for most errors.
	Code Code
	// Problem is a sentence without its full stop: what was being done, to what, and why it did not work.
	Problem string
	// Remedy is what to do next; "" if the problem says it.
	Remedy string
	// Reported are the messages of the engine that were shown before, to which the problem refers.
	Reported []string
	// Cause is the error underneath, nil if there is none.
	Cause error
}

var _ error = (*Error)(nil)

// Error returns the problem followed by the remedy.
func (e *Error) Error() string {
	if e.Remedy == "" {
		return e.Problem
	}
	return e.Problem + "\n  " + e.Remedy
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ReasonOf returns the reason that err carries, Failed where it carries none.
func ReasonOf(err error) Reason {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return Failed
}

package failure

import "errors"

// Reason is why something was not done. Each has a separate exit code.
type Reason int

const (
	// Failed is an operation that did not succeed or could not be started: exit code 1.
	Failed Reason = iota
	// Refused is input that cannot work, or a plan that must not be carried out: exit code 2.
	Refused
	// ChangesFound is a difference where none was expected: exit code 3.
	ChangesFound
	// Conflict is a stack that is in use, or that is not what it was expected to be: exit code 4.
	Conflict
	// Interrupted is an operation that was stopped by a signal: exit code 130.
	Interrupted
)

// ExitCode returns the exit code of a command that ends with the reason. Scripts may rely on it.
func (r Reason) ExitCode() int {
	return [...]int{Failed: 1, Refused: 2, ChangesFound: 3, Conflict: 4, Interrupted: 130}[r]
}

// String returns the reason's name in JSON.
func (r Reason) String() string {
	return [...]string{
		Failed:       "failed",
		Refused:      "refused",
		ChangesFound: "changes",
		Conflict:     "conflict",
		Interrupted:  "interrupted",
	}[r]
}

// ReasonByExitCode returns the reason of a command that did not succeed, by its exit code.
func ReasonByExitCode(code int) Reason {
	for _, r := range []Reason{Refused, ChangesFound, Conflict, Interrupted} {
		if r.ExitCode() == code {
			return r
		}
	}
	return Failed
}

// Code distinguishes errors with the same reason for programs.
type Code string

// The codes.
const (
	// CodeLocked is a stack that another update has locked.
	CodeLocked Code = "locked"
	// CodeBackend is a state's backend that cannot be used.
	CodeBackend Code = "backend"
	// CodeLiving is a cluster that is alive, or may be, and would be harmed.
	CodeLiving Code = "living"
	// CodeNewer is a stack that a newer version of this program has updated.
	CodeNewer Code = "newer"
	// CodeNotDeployed is a stack without a state in the backend.
	CodeNotDeployed Code = "notDeployed"
)

// Error is a problem with its remedy.
type Error struct {
	// Reason is the kind of error, which decides the exit code of a command. The zero value is Failed.
	Reason Reason
	// Code is more specific than the reason, "" for most errors.
	Code Code
	// Problem is a sentence without its full stop: what was being done, to what, and why it did not work.
	Problem string
	// Remedy is what to do next; "" if the problem contains it.
	Remedy string
	// Reported contains the engine's messages that the problem refers to. They were printed before.
	Reported []string
	// Cause is the wrapped error, nil if there is none.
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

// ReasonOf returns the reason of the Error in err, Failed if there is none.
func ReasonOf(err error) Reason {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return Failed
}

package fleet

import (
	"errors"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

// Status is the status of the operation on a stack.
type Status string

// The statuses of a stack.
const (
	Waiting Status = "waiting"
	Running Status = "running"
	// Succeeded is a stack whose operation succeeded; Changed is one that also found changes although none were expected.
	Succeeded Status = "succeeded"
	Changed   Status = "changed"
	Failed    Status = "failed"
	// Locked is a stack that another update has locked.
	Locked Status = "locked"
	// Stopped is a stack whose operation was ended by a signal.
	Stopped Status = "stopped"
	// Skipped is a stack whose operation was not started.
	Skipped Status = "not started"
)

// done reports whether the operation has succeeded, and need not be run again.
func (s Status) done() bool { return s == Succeeded || s == Changed }

// Outcome is how the operation on a stack ended.
type Outcome struct {
	Status Status `json:"status"`
	// Code is the exit code of the stack's process: see the exit codes of the CLI.
	Code int `json:"code"`
	// Problem is what went wrong, "" if nothing did.
	Problem string `json:"problem,omitempty"`
	// Backend is true if the state's backend could not be used: no other stack is started then.
	Backend bool `json:"backend,omitempty"`
	// Open is true if the update has begun a change that a further one continues, such as another key of etcd.
	Open bool `json:"open,omitempty"`
	// Counts is how many resources were, or would be, changed.
	report.Counts
	// Took is how long it took.
	Took time.Duration `json:"-"`
	// Log is the file with the output of the stack's process.
	Log string `json:"log,omitempty"`
}

// The exit codes of a stack's process that mean more than a failure.
const (
	exitRefused     = 2
	exitChanges     = 3
	exitConflict    = 4
	exitInterrupted = 130
)

// OutcomeOf returns the outcome of an operation that ran in this process, with the error and its reason.
func OutcomeOf(err error, reason failure.Reason) Outcome {
	if err == nil {
		return Outcome{Status: Succeeded}
	}
	codes := map[failure.Reason]int{
		failure.Refused: exitRefused, failure.ChangesFound: exitChanges, failure.Conflict: exitConflict, failure.Interrupted: exitInterrupted,
	}
	outcome := Outcome{Code: max(codes[reason], 1), Problem: firstLine(err.Error())}
	var known *failure.Error
	locked := errors.As(err, &known) && known.Code == failure.CodeLocked
	outcome.Status, outcome.Backend = statusOf(outcome.Code, locked), known != nil && known.Code == failure.CodeBackend
	return outcome
}

// statusOf returns the status for an exit code. A conflict is a lock only if the process reported one.
func statusOf(code int, locked bool) Status {
	switch {
	case code == 0:
		return Succeeded
	case code == exitChanges:
		return Changed
	case code == exitConflict && locked:
		return Locked
	case code == exitInterrupted:
		return Stopped
	}
	return Failed
}

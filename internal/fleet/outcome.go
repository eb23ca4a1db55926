package fleet

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
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

// StatusCounts returns how many stacks have each status, in words: "3 succeeded".
func StatusCounts(statuses map[Status]int) []string {
	var parts []string
	for _, status := range []Status{Succeeded, Changed, Failed, Locked, Stopped, Skipped} {
		if n := statuses[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return parts
}

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
	event.Counts
	// Took is how long it took.
	Took time.Duration `json:"-"`
	// Log is the file with the output of the stack's process.
	Log string `json:"log,omitempty"`
}

// NewOutcome returns the outcome of an operation that ran in this process, with the error and its reason.
func NewOutcome(err error, reason failure.Reason) Outcome {
	if err == nil {
		return Outcome{Status: Succeeded}
	}
	outcome := Outcome{Code: reason.ExitCode(), Problem: firstLine(err.Error())}
	var known *failure.Error
	locked := errors.As(err, &known) && known.Code == failure.CodeLocked
	outcome.Status, outcome.Backend = statusOf(outcome.Code, locked), known != nil && known.Code == failure.CodeBackend
	return outcome
}

// statusOf returns the status for an exit code. A conflict is a lock only if the process reported one.
func statusOf(code int, locked bool) Status {
	switch reason := failure.ReasonByExitCode(code); {
	case code == 0:
		return Succeeded
	case reason == failure.ChangesFound:
		return Changed
	case reason == failure.Conflict && locked:
		return Locked
	case reason == failure.Interrupted:
		return Stopped
	}
	return Failed
}

// Reason returns the reason of a failed run: that of the stacks if all have the same one, otherwise failure.Failed. An interruption takes
// precedence; stacks that were not started count only if there is no other reason.
func Reason(outcomes map[*Job]Outcome) failure.Reason {
	codes := map[int]bool{}
	for _, outcome := range outcomes {
		switch outcome.Status {
		case Stopped:
			return failure.Interrupted
		case Skipped:
			if outcome.Problem == reasonInterrupted {
				return failure.Interrupted
			}
		case Changed, Failed, Locked:
			codes[outcome.Code] = true
		case Succeeded, Waiting, Running:
		}
	}
	if len(codes) == 1 {
		return failure.ReasonByExitCode(slices.Collect(maps.Keys(codes))[0])
	}
	return failure.Failed
}

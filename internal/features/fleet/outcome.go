package fleet

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// StatusCounts returns how many stacks have each status, in words: "3 succeeded".
func StatusCounts(statuses map[fleetrun.Status]int) []string {
	var parts []string
	for _, status := range []fleetrun.Status{fleetrun.Succeeded, fleetrun.Changed, fleetrun.Failed, fleetrun.Locked,
		fleetrun.Stopped, fleetrun.Skipped} {
		if n := statuses[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return parts
}

// done reports whether the operation has succeeded, and need not be run again.
func done(s fleetrun.Status) bool { return s == fleetrun.Succeeded || s == fleetrun.Changed }

// leavesAbsent reports whether an operation has nothing to do for a stack without a state. The outcome of destroy then
// says in which backend there is none.
func leavesAbsent(operation gates.Operation) bool {
	return operation == gates.Status || operation == gates.Destroy
}

// NewOutcome returns the outcome of an operation that ran in this process, with the error and its reason.
func NewOutcome(err error, reason failure.Reason) fleetrun.Outcome {
	if err == nil {
		return fleetrun.Outcome{Status: fleetrun.Succeeded}
	}
	outcome := fleetrun.Outcome{Code: reason.ExitCode(), Problem: firstLine(err.Error())}
	var known *failure.Error
	locked := errors.As(err, &known) && known.Code == failure.CodeLocked
	outcome.Status, outcome.Backend = statusOf(outcome.Code, locked), known != nil && known.Code == failure.CodeBackend
	return outcome
}

// statusOf returns the status for an exit code. A conflict is a lock only if the process reported one.
func statusOf(code int, locked bool) fleetrun.Status {
	switch reason := failure.ReasonByExitCode(code); {
	case code == 0:
		return fleetrun.Succeeded
	case reason == failure.ChangesFound:
		return fleetrun.Changed
	case reason == failure.Conflict && locked:
		return fleetrun.Locked
	case reason == failure.Interrupted:
		return fleetrun.Stopped
	}
	return fleetrun.Failed
}

// Reason returns the reason of a failed run: the stacks' reason if all have the same one, otherwise failure.Failed. An
// interruption takes precedence; stacks that were not started count only if there is no other reason.
func Reason(outcomes map[*fleetrun.Job]fleetrun.Outcome) failure.Reason {
	codes := map[int]bool{}
	for _, outcome := range outcomes {
		switch outcome.Status {
		case fleetrun.Stopped:
			return failure.Interrupted
		case fleetrun.Skipped:
			if outcome.Problem == reasonInterrupted {
				return failure.Interrupted
			}
		case fleetrun.Changed, fleetrun.Failed, fleetrun.Locked:
			codes[outcome.Code] = true
		case fleetrun.Succeeded, fleetrun.Waiting, fleetrun.Running:
		}
	}
	if len(codes) == 1 {
		return failure.ReasonByExitCode(slices.Collect(maps.Keys(codes))[0])
	}
	return failure.Failed
}

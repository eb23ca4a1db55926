package invocation

import (
	"errors"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// The exit codes, which scripts may rely on.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitRefused     = 2
	ExitChanges     = 3
	ExitConflict    = 4
	ExitRefusedPlan = 5
	ExitInterrupted = 130
)

// usageError is an invalid command line.
type usageError struct{ error }

// Refuse returns the error of a command line that cannot be carried out; its exit code is ExitRefused.
func Refuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// refusedPlan is the error of a preview whose plan `up` would refuse.
type refusedPlan struct{ error }

// RefusedPlan returns the error of a preview whose plan `up` would refuse; its exit code is ExitRefusedPlan.
func RefusedPlan(stack string) error {
	return refusedPlan{fmt.Errorf("no refusal was expected, and up would refuse the plan of stack %s: see above", stack)}
}

// commandFailed is the exit code of a command that this program ran, which has printed its own error.
type commandFailed int

func (c commandFailed) Error() string { return fmt.Sprintf("the command exited with code %d", int(c)) }

// CommandFailed returns the error of a command that this program ran for the user; its exit code is the command's, 1 after a signal.
func CommandFailed(code int) error { return commandFailed(max(code, ExitFailed)) }

// ExitCode returns the code for an error.
func ExitCode(err error) int {
	var usage usageError
	var guard *plan.GuardError
	var planned refusedPlan
	var command commandFailed
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &command):
		return int(command)
	case errors.As(err, &planned):
		return ExitRefusedPlan
	case errors.As(err, &usage), errors.As(err, &guard), fault.In(err) != nil:
		return ExitRefused
	}
	switch failure.ReasonOf(err) {
	case failure.Refused:
		return ExitRefused
	case failure.ChangesFound:
		return ExitChanges
	case failure.Conflict:
		return ExitConflict
	case failure.Interrupted:
		return ExitInterrupted
	default:
		return ExitFailed
	}
}

// reasonName returns the exit code's name in JSON.
func reasonName(code int) string {
	switch code {
	case ExitRefused:
		return "refused"
	case ExitRefusedPlan:
		return "refusedPlan"
	case ExitChanges:
		return "changes"
	case ExitConflict:
		return "conflict"
	case ExitInterrupted:
		return "interrupted"
	}
	return "failed"
}

package cli

import (
	"errors"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// The exit codes, which scripts may rely on.
const (
	exitDone        = 0
	exitFailed      = 1
	exitRefused     = 2
	exitChanges     = 3
	exitConflict    = 4
	exitInterrupted = 130
)

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func refuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitCode is the code for an error.
func exitCode(err error) int {
	var usage usageError
	var guard *plan.GuardError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage), errors.As(err, &guard), fault.In(err) != nil:
		return exitRefused
	}
	switch failure.ReasonOf(err) {
	case failure.Refused:
		return exitRefused
	case failure.ChangesFound:
		return exitChanges
	case failure.Conflict:
		return exitConflict
	case failure.Interrupted:
		return exitInterrupted
	default:
		return exitFailed
	}
}

// reasonName is the exit code's name in JSON.
func reasonName(code int) string {
	switch code {
	case exitRefused:
		return "refused"
	case exitChanges:
		return "changes"
	case exitConflict:
		return "conflict"
	case exitInterrupted:
		return "interrupted"
	}
	return "failed"
}

package invocation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// exitRefusedPlan is the exit code of a preview whose plan `up` would refuse. The other exit codes are
// failure.Reason's.
const exitRefusedPlan = 5

// usageError is an invalid command line.
type usageError struct{ error }

// Refuse returns the error of a command line that cannot be carried out; its exit code is failure.Refused's.
func Refuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// refusedPlan is the error of a preview whose plan `up` would refuse.
type refusedPlan struct{ error }

// RefusedPlans returns the error of a preview of stacks whose plans `up` would refuse; its exit code is 5.
func RefusedPlans(stacks ...string) error {
	of := "the plan of stack"
	if len(stacks) > 1 {
		of = "the plans of stacks"
	}
	return refusedPlan{fmt.Errorf("up would refuse %s %s, although no refusal was expected: see above", of,
		strings.Join(stacks, ", "))}
}

// commandFailed is the exit code of a command that this program ran, which has printed its own error.
type commandFailed int

func (c commandFailed) Error() string { return fmt.Sprintf("the command exited with code %d", int(c)) }

// CommandFailed returns the error of a command that this program ran for the user; its exit code is the command's, 1
// after a signal.
func CommandFailed(code int) error { return commandFailed(max(code, failure.Failed.ExitCode())) }

// ExitCode returns the code for an error.
func ExitCode(err error) int {
	var usage usageError
	var guard *changes.GuardError
	var planned refusedPlan
	var command commandFailed
	switch {
	case err == nil:
		return 0
	case errors.As(err, &command):
		return int(command)
	case errors.As(err, &planned):
		return exitRefusedPlan
	case errors.As(err, &usage), errors.As(err, &guard), fault.In(err) != nil:
		return failure.Refused.ExitCode()
	}
	return failure.ReasonOf(err).ExitCode()
}

// reasonName returns the exit code's name in JSON.
func reasonName(code int) string {
	if code == exitRefusedPlan {
		return "refusedPlan"
	}
	return failure.ReasonByExitCode(code).String()
}

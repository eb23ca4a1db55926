package failure_test

import (
	"errors"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// The reason decides what a program does next, such as trying again later.
func ExampleReasonOf() {
	err := fmt.Errorf("updating dev: %w", &failure.Error{
		Reason: failure.Conflict, Code: failure.CodeLocked, Problem: "stack dev is locked",
		Remedy: "wait for the update to end",
	})
	var known *failure.Error
	if errors.As(err, &known) && known.Code == failure.CodeLocked {
		fmt.Println(failure.ReasonOf(err), failure.ReasonOf(err).ExitCode(), known.Remedy)
	}
	// Output: conflict 4 wait for the update to end
}

package invocation

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func TestEachReasonHasItsExitCode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{errors.New("any"), 1},
		{&failure.Error{Reason: failure.Failed}, 1},
		{Refuse("usage"), 2},
		{fault.Faults{{Path: "name", Problem: "is missing"}}, 2},
		{&changes.GuardError{}, 2},
		{&failure.Error{Reason: failure.Refused}, 2},
		{&failure.Error{Reason: failure.ChangesFound}, 3},
		{&failure.Error{Reason: failure.Conflict}, 4},
		{&failure.Error{Reason: failure.Interrupted}, 130},
		{fmt.Errorf("around: %w", &failure.Error{Reason: failure.Conflict}), 4},
	} {
		assert.Equal(t, test.code, ExitCode(test.err), "%v", test.err)
	}
}

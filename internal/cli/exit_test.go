package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/automation"
)

func TestEachReasonHasItsExitCode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{errors.New("any"), 1},
		{&automation.Error{Reason: automation.Failed}, 1},
		{refuse("usage"), 2},
		{fault.Faults{{Path: "name", Problem: "is missing"}}, 2},
		{&automation.GuardError{}, 2},
		{&automation.Error{Reason: automation.Refused}, 2},
		{&automation.Error{Reason: automation.ChangesFound}, 3},
		{&automation.Error{Reason: automation.Conflict}, 4},
		{&automation.Error{Reason: automation.Interrupted}, 130},
		{fmt.Errorf("around: %w", &automation.Error{Reason: automation.Conflict}), 4},
	} {
		assert.Equal(t, test.code, exitCode(test.err), "%v", test.err)
	}
}

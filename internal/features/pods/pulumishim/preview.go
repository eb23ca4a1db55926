package pulumishim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
)

// preview asks the gates of an update, runs the engine's preview for the caller, and fails with all that would refuse
// the update. It marks no run and recovers nothing: an update may be working on the stack.
func (f *shim) preview(ctx context.Context) error {
	opened, err := f.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	result, err := opened.Stack(f.stack).Preview(ctx, automation.PreviewOptions{SkipQuotas: f.skipsPreflight()})
	if result == nil {
		return err
	}
	refused := wouldRefuse(result)
	if refused == nil && err != nil {
		return err
	}
	if !inProgram(result) {
		var ended *engine.Error // it has printed why, and its exit code is this program's
		if err := f.runEngine(f.command.args, nil, func(int) {}); !errors.As(err, &ended) {
			return errors.Join(refused, err)
		}
	}
	return refused
}

// inProgram reports whether the program refuses the update as well, so that the engine's preview would only say the
// same again.
func inProgram(result *automation.PreviewResult) bool {
	return slices.ContainsFunc(result.Refusals, func(r automation.Refusal) bool {
		return slices.Contains([]string{gate.IdentityGate().Name, plan.GuardGate().Name, policy.Gate().Name}, r.Gate)
	})
}

// wouldRefuse returns the error of a preview whose plan an update would refuse, nil for another.
func wouldRefuse(result *automation.PreviewResult) error {
	var refusals []error
	if result.Unanswered != nil {
		refusals = append(refusals, &failure.Error{
			Reason:  failure.Refused,
			Problem: "the management cluster does not answer",
			Cause:   result.Unanswered,
		})
	}
	for _, r := range result.Refusals {
		refusals = append(refusals, fmt.Errorf("gate %s: %w", r.Gate, withoutFlags(r.Err)))
	}
	if len(refusals) == 0 {
		return nil
	}
	return fmt.Errorf("an update of stack %s would be refused:\n%w", result.Stack, errors.Join(refusals...))
}

// forecast prints a line each for the time, the cost and the policies of a plan.
func (f *shim) forecast(e *automation.PlannedEvent) {
	for line := range strings.Lines(forecast.Text(e.Forecast, 0, false)) {
		f.tell(strings.TrimSpace(line))
	}
}

package automation

import (
	"errors"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/pullrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// logWidth is the number of columns of a plan as text.
const logWidth = 80

// Text returns the plan as `preview` prints it to a file: what changes, with the time, the cost and the violated
// policies. With details, it has each resource, value, price and finding. It is "" without a plan.
func (r *PreviewResult) Text(details bool) string {
	if r.Plan == nil {
		return ""
	}
	planned := &PlannedEvent{Operation: gates.Preview, Stack: r.Stack, Plan: r.Plan, Forecast: r.Forecast}
	for _, refusal := range r.Refusals {
		var guard *changes.GuardError
		if errors.As(refusal.Err, &guard) {
			planned.Refused = guard.Refusals
		}
	}
	return PlanText(planned, details)
}

// PlanText returns the plan of an operation as text, in the same form as PreviewResult.Text.
func PlanText(planned *PlannedEvent, details bool) string {
	layout := plan.Layout{
		Width: logWidth, Details: details, Refused: planned.Refused, Destroy: planned.Operation == gates.Destroy,
	}
	if details {
		layout.Width = 0
	}
	return "plan for " + planned.Stack + ":\n" + plan.Text(planned.Plan, layout) +
		forecast.Text(planned.Forecast, layout.Width, details)
}

// Markdown returns a summary for a pull request, as `preview --markdown` writes it.
func (r *PreviewResult) Markdown() string {
	return pullrequest.OfPreview(pullrequest.Comment{
		Stack: r.Stack, Label: r.Label, Plan: r.Plan, Drift: r.Drift, DriftChecked: r.DriftChecked,
	}, r.Refusals, r.Unanswered, r.Forecast).Markdown()
}

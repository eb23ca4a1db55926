package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// PreviewOptions configure Preview.
type PreviewOptions struct {
	// ExpectNoChanges fails with ChangesFound if the plan has changes.
	ExpectNoChanges bool
	// Drift also looks for changes made outside the stack.
	Drift bool
	// SavePlan is a file for the plan, for UpOptions.Plan; it needs Drift. "" saves none.
	SavePlan string
	// MandatoryPolicies fails if the plan violates a policy.
	MandatoryPolicies bool
	// SkipQuotas does not compare the plan with the quotas of its accounts, as UpOptions.SkipQuotas.
	SkipQuotas bool
}

// PreviewResult is what Up would do.
type PreviewResult struct {
	// Stack is the stack's name, and File its file. Label is "offline" or, on AWS, "".
	Stack    string
	File     *config.File
	Label    string
	Plan     *Plan
	Forecast *Forecast
	// Refusals are the gates that would make Up refuse the plan, in the order of Gates.
	Refusals []Refusal
	// Unanswered is the error of a management cluster that does not answer, nil if it answers or there is none: Up would
	// refuse.
	Unanswered error
	// Drift is what was changed outside the stack, if DriftChecked is set.
	Drift        []Difference
	DriftChecked bool
	// Saved is true if the plan was saved.
	Saved bool
}

// Preview returns what Up would do, and which gates would refuse it. If the result has no Plan, the stack could not be
// planned. A complete result also has an error if the kubeconfig selects another management cluster, if the plan
// violates mandatory policies or changes a value that clusters took from a management stack, or for ChangesFound.
func (s *Stack) Preview(ctx context.Context, o PreviewOptions) (*PreviewResult, error) {
	core := s.core()
	defer s.named(core)
	result, err := core.Preview(ctx, run.PreviewOptions{
		ExpectNoChanges: o.ExpectNoChanges, Drift: o.Drift, AlwaysDrift: o.SavePlan != "", Features: o.features(s.project),
	})
	if result == nil {
		return nil, err
	}
	return &PreviewResult{
		Stack: result.Stack, File: result.File, Label: result.Label, Plan: result.Plan, Forecast: result.Forecast,
		Refusals:   result.Refusals,
		Unanswered: result.Unanswered, Drift: result.Drift, DriftChecked: result.DriftChecked, Saved: result.Saved,
	}, err
}

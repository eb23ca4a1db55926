package automation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/forecasting"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
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
	// Unanswered is the error of a management cluster that does not answer, nil if it answers or there is none: Up would refuse.
	Unanswered error
	// Drift is what was changed outside the stack, if DriftChecked is set.
	Drift        []Difference
	DriftChecked bool
	// Saved is true if the plan was saved.
	Saved bool
}

// Preview returns what Up would do, and which gates would refuse it. If the result has no Plan, the stack could not be planned. A complete result
// also has an error if the kubeconfig selects another management cluster, if the plan violates mandatory policies or changes a value that clusters
// took from a management stack, or for ChangesFound.
func (s *Stack) Preview(ctx context.Context, o PreviewOptions) (*PreviewResult, error) {
	ctx, r, err := s.begin(ctx, gates.Preview, opening{mode: run.MayCreate})
	if err != nil {
		return nil, err
	}
	defer r.close()
	if r.waivers, err = forecasting.Waivers(r.Stack.File); err != nil {
		return nil, err
	}
	result := &PreviewResult{Stack: r.Stack.Name, File: r.Stack.File, Label: r.session.Environment.Label()}
	refused := map[string]error{}
	fails := []string{gate.IdentityGate().Name, users.InheritedGate().Name, policy.Gate().Name}
	refuse := func(list ...Refusal) {
		for _, one := range list {
			refused[one.Gate] = one.Err
			r.event(&RefusalEvent{Refusal: one, Fails: slices.Contains(fails, one.Gate)})
		}
		result.Refusals = append(result.Refusals, list...)
	}
	reading, _, identity := r.Connection.CheckIdentity(ctx, r.operation)
	if result.Unanswered = reading.Err; identity != nil {
		refuse(Refusal{Gate: gate.IdentityGate().Name, Err: identity})
	}
	// What another management cluster has says nothing about the stack's objects.
	own := identity == nil && result.Unanswered == nil
	if own {
		refuse(r.refusals(ctx, true, r.before()...)...)
	} else {
		refuse(r.refusals(ctx, true, r.inherited())...)
	}
	if result.DriftChecked = o.Drift && identity == nil && (result.Unanswered == nil || o.SavePlan != ""); result.DriftChecked {
		found, err := r.Engine.Drift(ctx)
		if err != nil {
			return result, err
		}
		result.Drift = plan.Drift(found)
		r.event(&DriftEvent{Drift: result.Drift})
	}
	planned, err := r.Engine.Preview(ctx)
	if err != nil {
		return result, errors.Join(identity, err)
	}
	f, err := r.forecast(planned, nil)
	if err != nil {
		return result, err
	}
	result.Plan, result.Forecast = planned, &f.Forecast
	refuse(r.refusals(ctx, true, r.ofPlan(judged{
		plan: planned, forecast: result.Forecast, mandatory: o.MandatoryPolicies, objects: own && refused[plancheck.ServerGate().Name] == nil, quotas: !o.SkipQuotas,
	})...)...)
	for _, name := range fails {
		if refused[name] != nil {
			return result, refused[name]
		}
	}
	if o.SavePlan != "" {
		if err := r.savePlan(o.SavePlan, planned, result.Drift); err != nil {
			return result, err
		}
		result.Saved = true
	}
	if o.ExpectNoChanges && planned.HasChanges {
		return result, changesFound(r.Stack.Name, planned)
	}
	return result, nil
}

func changesFound(stack string, planned *changes.Plan) error {
	return &failure.Error{
		Reason:  failure.ChangesFound,
		Problem: fmt.Sprintf("no changes were expected in stack %s: %s", stack, report.CountsText(planned.Counts(), report.Planned)),
	}
}

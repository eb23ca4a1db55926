package run

import (
	"context"
	"errors"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	api "github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// Planned is a plan that an operation decides on.
type Planned struct {
	Plan *changes.Plan
	// Forecast is what features estimate of the plan.
	Forecast *forecast.Forecast
	// Remaining follows the change, nil if nothing estimates it.
	Remaining forecast.Remaining
	// Notes are reported after the plan.
	Notes []string
	// Drift is what was changed outside the stack, if a preview has looked for it.
	Drift []changes.Difference
	// Reviewed is the plan of the engine to which an update is limited, because someone has reviewed it; nil if there is
	// none.
	Reviewed []byte
	// Saved is true if a feature saved the plan.
	Saved bool
	// guard is the guard's refusal, nil if it lets the plan pass.
	guard error
}

// Forecast previews an update, and lets the features add to the plan. It reports nothing of it.
func (r *Operation) Forecast(ctx context.Context, features Features) (*Planned, error) {
	if err := features.begin(ctx, r); err != nil {
		return nil, err
	}
	made, err := r.Engine.Preview(ctx)
	if err != nil {
		return nil, err
	}
	p := &Planned{Plan: made, Forecast: &forecast.Forecast{}}
	return p, features.planned(ctx, r, p)
}

// planned lets the features add to a plan, and reports it. allow are the guarded resources that an update may replace
// or delete.
func (r *Operation) planned(
	ctx context.Context,
	made *changes.Plan,
	allow []string,
	features Features,
) (*Planned, error) {
	p := &Planned{Plan: made, Forecast: &forecast.Forecast{}}
	if err := features.planned(ctx, r, p); err != nil {
		return nil, err
	}
	reported := &api.Planned{Operation: r.Verb, Stack: r.Stack.Name, Plan: made, Forecast: p.Forecast}
	if r.Verb != gates.Destroy {
		r.ReadPolicies(ctx, made)
		p.guard = plan.Guard(made, r.Stack.Name, allow, r.Stack.File.Allows)
	}
	if guard := (*changes.GuardError)(nil); errors.As(p.guard, &guard) {
		reported.Refused = guard.Refusals
	}
	r.Event(reported)
	for _, note := range p.Notes {
		r.Event(&api.Message{Text: note})
	}
	return p, nil
}

// change carries a plan out, and lets the features see how it ended.
func (r *Operation) change(ctx context.Context, p *Planned, features Features, carryOut func() error) error {
	r.Event(&api.Began{Remaining: p.Remaining})
	r.mu.Lock()
	r.took = nil
	r.mu.Unlock()
	return features.ended(ctx, r, p, carryOut())
}

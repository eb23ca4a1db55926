package run

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	api "github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// Feature takes part in an update, a preview or a deletion. A value of it holds the options of one operation, like an
// option of Pulumi's optup, and what the feature keeps between the calls, which follow each other in the order of the
// methods. A stage of an update plans and changes again. Embed NoFeature, and override what the feature does.
type Feature interface {
	// Begin reads what the options name, once the stack is open and before its target is bound.
	Begin(ctx context.Context, r *Operation) error
	// Planned adds to a plan, before it is reported.
	Planned(ctx context.Context, r *Operation, p *Planned) error
	// Gates returns the gates that judge the plan of an update.
	Gates(r *Operation, p *Planned) []gate.Gate
	// Changing is called directly before the engine changes something.
	Changing(ctx context.Context, r *Operation) error
	// ClusterGone is called by a deletion after the stack's cluster is deleted, and before what it needed is. An error
	// with failure.CodeLiving ends the deletion; another one is returned after it.
	ClusterGone(ctx context.Context, r *Operation) error
	// Ended is called after the change, with its error, and at the end of a preview that does not fail, with nil. It
	// returns the operation's error.
	Ended(ctx context.Context, r *Operation, p *Planned, err error) error
}

// NoFeature is a Feature that does nothing.
type NoFeature struct{}

var _ Feature = NoFeature{}

// Begin implements Feature.
func (NoFeature) Begin(context.Context, *Operation) error { return nil }

// Planned implements Feature.
func (NoFeature) Planned(context.Context, *Operation, *Planned) error { return nil }

// Gates implements Feature.
func (NoFeature) Gates(*Operation, *Planned) []gate.Gate { return nil }

// Changing implements Feature.
func (NoFeature) Changing(context.Context, *Operation) error { return nil }

// ClusterGone implements Feature.
func (NoFeature) ClusterGone(context.Context, *Operation) error { return nil }

// Ended implements Feature.
func (NoFeature) Ended(_ context.Context, _ *Operation, _ *Planned, err error) error { return err }

// Features are the features of one operation, in the order in which they are called.
type Features []Feature

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
	// Allowed are the guarded resources that the plan replaces or deletes because the user allows it.
	Allowed []string
	// guard is the guard's refusal, nil if it lets the plan pass.
	guard error
}

// begin calls Begin of each feature.
func (f Features) begin(ctx context.Context, r *Operation) error {
	for _, feature := range f {
		if err := feature.Begin(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// planned calls Planned of each feature.
func (f Features) planned(ctx context.Context, r *Operation, p *Planned) error {
	for _, feature := range f {
		if err := feature.Planned(ctx, r, p); err != nil {
			return err
		}
	}
	return nil
}

// gates returns the features' gates and the core's, the cheapest first.
func (f Features) gates(r *Operation, p *Planned, core ...gate.Gate) []gate.Gate {
	all := slices.Clone(core)
	for _, feature := range f {
		all = append(all, feature.Gates(r, p)...)
	}
	slices.SortStableFunc(all, func(a, b gate.Gate) int { return cmp.Compare(gate.Rank(a.Cost), gate.Rank(b.Cost)) })
	return all
}

// changing calls Changing of each feature.
func (f Features) changing(ctx context.Context, r *Operation) error {
	for _, feature := range f {
		if err := feature.Changing(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// clusterGone calls ClusterGone of each feature.
func (f Features) clusterGone(ctx context.Context, r *Operation) error {
	var errs []error
	for _, feature := range f {
		errs = append(errs, feature.ClusterGone(ctx, r))
	}
	return errors.Join(errs...)
}

// ended calls Ended of each feature.
func (f Features) ended(ctx context.Context, r *Operation, p *Planned, err error) error {
	for _, feature := range f {
		err = feature.Ended(ctx, r, p, err)
	}
	return err
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
		p.Allowed, p.guard = r.allowed(ctx, made, allow)
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

// allowed returns those of the names that the user allows which a plan needs, and the guard's refusal. A name that the
// plan does not need is a mistake, unless an earlier stage was allowed it, or a run that did not end: it has carried
// that out, and the command is repeated. An update that succeeds ends what was allowed before it.
func (r *Operation) allowed(ctx context.Context, made *changes.Plan, allow []string) ([]string, error) {
	stray := plan.Stray(made, allow)
	wrong := slices.DeleteFunc(slices.Clone(stray), func(name string) bool {
		return r.Stack.Continues(ctx, "--allow", name)
	})
	if len(wrong) > 0 {
		return nil, plan.RefuseStray(made, wrong)
	}
	if len(stray) > 0 {
		r.Say("--allow %s has no effect: it was allowed before, and the plan has nothing left of it",
			strings.Join(stray, ","))
	}
	needed := slices.DeleteFunc(slices.Clone(allow), func(name string) bool { return slices.Contains(stray, name) })
	return needed, plan.Guard(made, r.Stack.Name, needed, r.Stack.File.Allows)
}

// change carries a plan out, and lets the features see how it ended.
func (r *Operation) change(ctx context.Context, p *Planned, features Features, carryOut func() error) error {
	r.Event(&api.Began{Remaining: p.Remaining})
	r.mu.Lock()
	r.took = nil
	r.mu.Unlock()
	return features.ended(ctx, r, p, carryOut())
}

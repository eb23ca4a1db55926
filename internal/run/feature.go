package run

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/gate"
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

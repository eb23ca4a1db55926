// Package history shows who changed a stack: the engine's history with the commits of the project, and the consents in
// between.
package history

import (
	"context"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// Options configure Run.
type Options struct {
	// Limit is the number of newest changes that are read; 0 is DefaultLimit.
	Limit int
}

// DefaultLimit is how many changes are read by default.
const DefaultLimit = 50

// Run returns a stack's history, the newest entry first: see automation.Stack.History.
func Run(ctx context.Context, s *run.Stack, o Options) ([]backend.Entry, error) {
	ctx, r, err := s.Begin(ctx, gates.Preview, run.OpenOptions{Mode: run.MustExist, AnyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	limit := o.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	changes, err := r.Stack.History(ctx, limit)
	if err != nil {
		return nil, err
	}
	if err := r.Stack.CurrentState(ctx); err != nil {
		return nil, err
	}
	if err := r.Stack.ReadUses(); err != nil {
		return nil, err
	}
	return merge(changes, r.Stack.Used, limit), nil
}

// merge returns changes, the newest first, with the consents among them. With as many changes as the limit, older
// consents are left out as older changes are.
func merge(changes []backend.Entry, uses []consent.Use, limit int) []backend.Entry {
	all := slices.Clone(changes)
	for _, use := range uses {
		if len(changes) >= limit && use.Time.Before(changes[len(changes)-1].Time) {
			continue
		}
		all = append(all, backend.Entry{
			Time: use.Time, Kind: backend.KindConsent, By: use.By, Version: use.Version,
			Consent: strings.TrimSpace(use.Flag + " " + use.Value), Evidence: use.Evidence, Resources: use.Resources,
		})
	}
	slices.SortStableFunc(all, func(a, b backend.Entry) int { return b.Time.Compare(a.Time) })
	return all
}

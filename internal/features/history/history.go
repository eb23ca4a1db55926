// Package history shows who changed a stack: the engine's history with the commits of the project, and the consents in
// between.
package history

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
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
	text, err := r.Stack.Run(ctx, "stack", "history", "--json", "--page-size", strconv.Itoa(limit), "--page", "1",
		"--stack", r.Stack.Name)
	if err != nil {
		return nil, r.Stack.Classify(err)
	}
	changes, err := parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("reading the history of stack %s: %w", r.Stack.Name, err)
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

// parse reads the engine's history, the newest change first.
func parse(text []byte) ([]backend.Entry, error) {
	var listed []struct {
		Kind            string            `json:"kind"`
		StartTime       string            `json:"startTime"`
		EndTime         string            `json:"endTime"`
		Result          string            `json:"result"`
		Message         string            `json:"message"`
		Environment     map[string]string `json:"environment"`
		ResourceChanges map[string]int    `json:"resourceChanges"`
	}
	if err := json.Unmarshal(text, &listed); err != nil {
		return nil, err //nolint:wrapcheck // the caller names the stack
	}
	entries := make([]backend.Entry, 0, len(listed))
	for _, l := range listed {
		e := backend.Entry{
			Kind: l.Kind, Result: l.Result, Changes: l.ResourceChanges,
			Commit: l.Environment["git.head"], Author: l.Environment["git.author"], Dirty: l.Environment["git.dirty"] == "true",
		}
		if e.Commit != "" {
			e.Message, _, _ = strings.Cut(l.Message, "\n")
		}
		e.Version, e.By = workspace.ParseAgent(l.Environment["exec.agent"])
		var err error
		if e.Time, err = time.Parse(time.RFC3339, l.StartTime); err != nil {
			return nil, fmt.Errorf("the start of a change: %w", err)
		}
		if l.EndTime != "" {
			if e.Ended, err = time.Parse(time.RFC3339, l.EndTime); err != nil {
				return nil, fmt.Errorf("the end of a change: %w", err)
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

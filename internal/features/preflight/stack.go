package preflight

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// StackOptions configure OfStack.
type StackOptions struct {
	// Needs lists the resources and lookups for which the stack needs permissions.
	Needs func(context.Context, *run.Operation) ([]permissions.Need, error)
	// Registry asks image registries.
	Registry Registry
}

// OfStack makes the checks on a stack's plan: see automation.Stack.Preflight.
func OfStack(ctx context.Context, s *run.Stack, o StackOptions) ([]finding.Finding, error) {
	ctx, r, err := s.Begin(ctx, gates.Preview, run.OpenOptions{Mode: run.MayCreate})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.StopAt(ctx, r.Inherited()); err != nil {
		return nil, err
	}
	planned, err := r.Engine.Preview(ctx)
	if err != nil {
		return unplanned(err), err
	}
	needs := func(ctx context.Context) ([]permissions.Need, error) {
		if o.Needs == nil { // without the feature permissions
			return nil, nil
		}
		return o.Needs(ctx, r)
	}
	report, err := (&Checker{Checker: r.Checker, Needs: needs, Registry: o.Registry}).Preflight(ctx, planned)
	if err != nil {
		return nil, err
	}
	return report.Findings, nil
}

// Drift returns the findings about existing resources that the stack's file names, for run.DriftOptions.
func Drift(ctx context.Context, r *run.Operation) ([]finding.Finding, error) {
	report, err := (&Checker{Checker: r.Checker}).DriftOfExisting(ctx)
	if err != nil {
		return nil, err
	}
	return report.Findings, nil
}

// unplanned reports a stack that cannot be previewed as a finding: AWS refuses a lookup or the credentials. It returns
// nil for other errors.
func unplanned(err error) []finding.Finding {
	var known *failure.Error
	if !errors.As(err, &known) || failure.ReasonOf(err) != failure.Failed {
		return nil
	}
	var found []finding.Finding
	reported := known.Reported
	if len(reported) == 0 {
		reported = []string{known.Problem}
	}
	for _, problem := range reported {
		found = append(found, finding.Finding{
			Check: Preview, Severity: finding.Error, Subject: "the stack cannot be previewed",
			Problem: strings.Join(strings.Fields(problem), " "),
			Remedy:  cmp.Or(known.Remedy, "correct it, and run preflight again: the other checks need a preview"),
		})
	}
	return found
}

package automation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// RefreshOptions configure Refresh.
type RefreshOptions struct {
	// ExpectNoChanges fails with ChangesFound if the state differed; it is refreshed nevertheless.
	ExpectNoChanges bool
	// ForgetPending drops resources whose creation was interrupted from the state, without a search in AWS. Faults of the stack's file are ignored,
	// so that a stack can always be released.
	ForgetPending bool
}

// Refresh reads every resource of the stack from AWS and writes it to the state. It returns the differences. Nothing in AWS changes.
func (s *Stack) Refresh(ctx context.Context, o RefreshOptions) (*Plan, error) {
	ctx, r, err := s.begin(ctx, gates.Refresh, run.OpenOptions{Mode: run.MustExist, AnyFile: o.ForgetPending, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	interrupted, _, err := r.Recovery.Unfinished(ctx)
	if err != nil {
		return nil, err
	}
	if interrupted && !o.ForgetPending {
		sayInterrupted(r)
	}
	changes, err := r.Engine.Refresh(ctx, o.ForgetPending)
	if err == nil && o.ExpectNoChanges && changes.HasChanges {
		err = &failure.Error{
			Reason:  failure.ChangesFound,
			Problem: fmt.Sprintf("the state of stack %s differed from AWS: %s", r.Stack.Name, report.CountsText(changes.Counts(), report.Found)),
			Remedy:  "the state now equals AWS; run `hypershift-aws up` to restore the configuration",
		}
	}
	return changes, err
}

func sayInterrupted(r *run.Operation) {
	r.Say("an earlier run of stack %s was interrupted: `hypershift-aws repair -s %s` adds to the state what it created", r.Stack.Name, r.Stack.Name)
}

// DriftResult is how AWS differs from a stack's state.
type DriftResult struct {
	// Stack is the stack's name. Label is "offline" or, on AWS, "".
	Stack, Label string
	Drift        []Difference
	// Given are the findings about existing resources that the stack's file names, which are not in its state: those that differ from what the
	// cluster needs, or could not be read.
	Given []Finding
	// Summary counts the differences.
	Summary *SummaryEvent
}

// Drift reads every resource of the stack from AWS and compares it with the state, and existing resources that its file names with what the
// cluster needs; nothing is changed. It fails with ChangesFound if anything differs from the state, or if the cluster does not work with an existing
// resource.
func (s *Stack) Drift(ctx context.Context) (*DriftResult, error) {
	ctx, r, err := s.begin(ctx, gates.Drift, run.OpenOptions{Mode: run.MustExist, AnyFile: true, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	found, err := r.Engine.Drift(ctx)
	if err != nil {
		return nil, err
	}
	switch interrupted, err := r.Recovery.Interrupted(ctx); {
	case err != nil:
		return nil, err
	case interrupted:
		sayInterrupted(r)
	}
	result := &DriftResult{Stack: r.Stack.Name, Label: r.Session.Environment.Label(), Drift: plan.Drift(found), Summary: found.Summary}
	given, err := checker(r).DriftOfGiven(ctx)
	if err != nil {
		return nil, err
	}
	result.Given = given.Findings
	switch failing := given.Count(finding.Error); {
	case len(result.Drift) == 0 && failing == 0:
		return result, nil
	case len(result.Drift) == 0:
		return result, &failure.Error{
			Reason:  failure.ChangesFound,
			Problem: fmt.Sprintf("the cluster of stack %s does not work with %s", r.Stack.Name, report.Number(failing, "existing resource")),
			Remedy:  "ask the owner to correct what is shown; it is not in the stack's state, so `up` does not change it",
		}
	}
	lost, err := run.LostKeys(ctx, r.Stack, r.Connection)
	if err != nil {
		return result, err
	}
	if len(lost) > 0 {
		return result, &failure.Error{
			Reason: failure.ChangesFound,
			Problem: fmt.Sprintf("the management cluster of stack %s no longer has %s: %s", r.Stack.Name, strings.Join(lost, ", "),
				report.CountsText(found.Counts(), report.Found)),
			Remedy: run.RestoreKeys(r.Stack.Name) + "; the stack's state has the only other copy of the key",
		}
	}
	return result, &failure.Error{
		Reason:  failure.ChangesFound,
		Problem: fmt.Sprintf("AWS differs from the state of stack %s: %s", r.Stack.Name, report.CountsText(found.Counts(), report.Found)),
		Remedy: fmt.Sprintf("`hypershift-aws refresh -s %s` accepts it; `hypershift-aws up -s %s` then restores the configuration of the file",
			r.Stack.Name, r.Stack.Name) + remedyForObjects(result.Drift),
	}
}

// remedyForObjects returns what restores fields that another client of a management cluster has changed, "" if there are none.
func remedyForObjects(drift []changes.Difference) string {
	if slices.ContainsFunc(drift, func(d changes.Difference) bool { return strings.HasPrefix(d.Type, "kubernetes:") && !d.Gone }) {
		return ", and with --take a field that another client of the management cluster holds"
	}
	return ""
}

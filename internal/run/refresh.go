package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// RefreshOptions configure Refresh.
type RefreshOptions struct {
	// ExpectNoChanges fails with ChangesFound if the state differed; it is refreshed nevertheless.
	ExpectNoChanges bool
	// ForgetPending drops resources whose creation was interrupted from the state, without a search in AWS. Faults of the
	// stack's file are ignored, so that a stack can always be released.
	ForgetPending bool
}

// Refresh reads every resource of the stack from AWS and writes it to the state. It returns the differences.
func (s *Stack) Refresh(ctx context.Context, o RefreshOptions) (*changes.Plan, error) {
	ctx, r, err := s.Begin(ctx, gates.Refresh, OpenOptions{Mode: MustExist, AnyFile: o.ForgetPending, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	interrupted, _, err := r.Recovery.Unfinished(ctx)
	if err != nil {
		return nil, err
	}
	if interrupted && !o.ForgetPending {
		r.sayInterrupted()
	}
	found, err := r.Engine.Refresh(ctx, o.ForgetPending)
	if err == nil && o.ExpectNoChanges && found.HasChanges {
		counts := report.CountsText(found.Counts(), report.Found)
		err = &failure.Error{
			Reason:  failure.ChangesFound,
			Problem: fmt.Sprintf("the state of stack %s differed from AWS: %s", r.Stack.Name, counts),
			Remedy:  "the state now equals AWS; run `hypershift-aws up` to restore the configuration",
		}
	}
	return found, err
}

func (r *Operation) sayInterrupted() {
	r.Say("an earlier run of stack %s was interrupted: `hypershift-aws repair -s %s` adds to the state what it created",
		r.Stack.Name, r.Stack.Name)
}

// DriftOptions configure Drift.
type DriftOptions struct {
	// Existing returns the findings about existing resources that the stack's file names, which are not in its state. Nil
	// compares none.
	Existing func(context.Context, *Operation) ([]finding.Finding, error)
}

// DriftResult is how AWS differs from a stack's state.
type DriftResult struct {
	// Stack is the stack's name. Label is "offline" or, on AWS, "".
	Stack, Label string
	Drift        []changes.Difference
	// Existing are the findings about existing resources.
	Existing []finding.Finding
	// Added are the findings about what others added to the stack's resources: rules, routes, policies, records.
	Added []finding.Finding
	// Summary counts the differences.
	Summary *event.Summary
}

// Drift reads every resource of the stack from AWS and compares it with the state, and existing resources that its file
// names with what the cluster needs; nothing is changed. It fails with ChangesFound if anything differs from the state,
// or if the cluster does not work with an existing resource.
func (s *Stack) Drift(ctx context.Context, o DriftOptions) (*DriftResult, error) {
	ctx, r, err := s.Begin(ctx, gates.Drift, OpenOptions{Mode: MustExist, AnyFile: true, Identify: true})
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
		r.sayInterrupted()
	}
	result := &DriftResult{
		Stack: r.Stack.Name, Label: r.Session.Environment.Label(), Drift: r.Differences(found), Summary: found.Summary,
	}
	if o.Existing != nil {
		if result.Existing, err = o.Existing(ctx, r); err != nil {
			return nil, err
		}
	}
	result.Added = Additions(ctx, r.Opened)
	lost, err := LostKeys(ctx, r.Stack, r.Connection)
	if err != nil {
		return nil, err
	}
	return result, result.err(found, lost)
}

// Differences lists what a comparison with AWS found.
func (o *Opened) Differences(found *changes.Plan) []changes.Difference {
	return plan.Drift(found, o.Stack.State.InCloud(), o.Stack.State.Outputs().Strings("clusters"))
}

// err returns the error of a comparison that found something, nil otherwise. lostKeys are the Secrets with keys that
// are gone.
func (d *DriftResult) err(found *changes.Plan, lostKeys []string) error {
	counts := report.CountsText(found.Counts(), report.Found)
	if len(lostKeys) > 0 {
		return &failure.Error{
			Reason: failure.ChangesFound,
			Problem: fmt.Sprintf("the management cluster of stack %s no longer has %s: %s", d.Stack,
				strings.Join(lostKeys, ", "),
				counts),
			Remedy: RestoreKeys(d.Stack) + "; the stack's state has the only other copy of the key",
		}
	}
	if len(d.Drift) > 0 {
		return &failure.Error{
			Reason:  failure.ChangesFound,
			Problem: fmt.Sprintf("AWS differs from the state of stack %s: %s", d.Stack, counts),
			Remedy: additionsRemedy(d.Added) + fmt.Sprintf("`hypershift-aws refresh -s %s` accepts it; ", d.Stack) +
				d.upRestores(),
		}
	}
	if slices.ContainsFunc(d.Added, func(f finding.Finding) bool { return f.Check == Lost }) {
		return &failure.Error{
			Reason:  failure.ChangesFound,
			Problem: fmt.Sprintf("the state of stack %s lacks what its file describes and AWS has", d.Stack),
			Remedy:  fmt.Sprintf("take it back into the state: `hypershift-aws adopt -s %s --preview`", d.Stack),
		}
	}
	if added := finding.Count(d.Added, finding.Error); added > 0 {
		return &failure.Error{
			Reason:  failure.ChangesFound,
			Problem: fmt.Sprintf("resources of stack %s have %s that others made", d.Stack, report.Number(added, "addition")),
			Remedy:  "remove or accept each, as shown; neither `refresh` nor `up` changes it",
		}
	}
	failing := finding.Count(d.Existing, finding.Error)
	if failing == 0 {
		return nil
	}
	existing := report.Number(failing, "existing resource")
	return &failure.Error{
		Reason:  failure.ChangesFound,
		Problem: fmt.Sprintf("the cluster of stack %s does not work with %s", d.Stack, existing),
		Remedy:  "ask the owner to correct what is shown; it is not in the stack's state, so `up` does not change it",
	}
}

// upRestores returns what an update does after a refresh.
func (d *DriftResult) upRestores() string {
	kept, all := 0, 0
	for _, one := range d.Drift {
		for _, v := range one.Values {
			if all++; v.Kept {
				kept++
			}
		}
		if one.Gone || len(one.Values) == 0 {
			all++
		}
	}
	up := fmt.Sprintf("`hypershift-aws up -s %s` then ", d.Stack)
	switch kept {
	case 0:
		up += "restores the configuration of the file"
	case all:
		return up + "keeps it: whoever changed it can take it back"
	default:
		up += "restores the configuration of the file, except what it keeps, as shown"
	}
	return up + remedyForObjects(d.Drift)
}

// additionsRemedy returns what to do about what others added, if something else differs too, "" for nothing.
func additionsRemedy(added []finding.Finding) string {
	if finding.Count(added, finding.Error) == 0 {
		return ""
	}
	return "remove or accept each addition, as shown; "
}

// remedyForObjects returns what restores fields that another client of a management cluster has changed, "" if there
// are none.
func remedyForObjects(drift []changes.Difference) string {
	object := func(d changes.Difference) bool { return strings.HasPrefix(d.Type, "kubernetes:") && !d.Gone }
	if slices.ContainsFunc(drift, object) {
		return ", and with --take a field that another client of the management cluster holds"
	}
	return ""
}

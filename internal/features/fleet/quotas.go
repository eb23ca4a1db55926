package fleet

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
)

// checkQuotas compares what the stacks would create together with the quotas of their accounts. An update refuses to
// exceed one, a preview reports it.
func (f *fleet) checkQuotas(ctx context.Context, jobs []*fleetrun.Job) error {
	findings, err := f.quotas(ctx, jobs)
	if err != nil {
		return err
	}
	var refused []string
	for _, one := range findings {
		if one.Severity != finding.Passed {
			f.Events(&FindingEvent{Finding: one})
		}
		switch {
		case one.Severity == finding.Warning:
			f.say("warning: %s", one.String())
		case one.Severity == finding.Error && f.Operation == gates.Preview:
			f.say("fleet up would refuse this plan: %s", one.String())
		case one.Severity == finding.Error:
			refused = append(refused, "  "+one.String())
		}
	}
	if len(refused) == 0 {
		return nil
	}
	what := fmt.Sprintf("%d stacks create together", len(jobs))
	if len(jobs) == 1 {
		what = "stack " + jobs[0].ID + " creates"
	}
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("AWS would refuse what %s; nothing was started:\n%s", what, strings.Join(refused, "\n")),
		Remedy:  "correct this, select fewer stacks, or use --skip-preflight to continue",
	}
}

// quotas returns the findings of all folders together. Accounts with the same ID are the same if their environments
// have the same scope.
func (f *fleet) quotas(ctx context.Context, jobs []*fleetrun.Job) ([]finding.Finding, error) {
	byDir := map[string]map[string]string{}
	for _, job := range jobs {
		if byDir[job.Dir] == nil {
			byDir[job.Dir] = map[string]string{}
		}
		byDir[job.Dir][job.Stack] = job.ID
	}
	found := &preflight.Report{}
	demands, accounts := map[string][]preflight.Demand{}, map[string]preflight.Accounts{}
	for dir, names := range byDir {
		session, err := f.session(ctx, dir)
		if err != nil {
			return nil, err
		}
		needed, err := CountDemands(ctx, session, names, f.Parallel)
		if err != nil {
			return nil, err
		}
		defer needed.Close()
		found.Add(needed.Uncounted...)
		scope := session.Environment.Scope()
		demands[scope] = append(demands[scope], needed.Demands...)
		if accounts[scope] == nil {
			accounts[scope] = preflight.Accounts{}
		}
		maps.Copy(accounts[scope], needed.Accounts)
	}
	ctx, cancel := context.WithTimeout(ctx, preflight.Within)
	defer cancel()
	for scope, accounts := range accounts {
		found.Add(preflight.CheckQuotas(ctx, demands[scope], accounts)...)
	}
	return found.Findings, nil
}

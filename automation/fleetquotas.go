package automation

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
)

// checkQuotas compares what the stacks would create together with the quotas of their accounts. Up refuses to exceed one, Preview reports it.
func (r *fleetRun) checkQuotas(ctx context.Context, jobs []*FleetJob) error {
	findings, err := r.quotas(ctx, jobs)
	if err != nil {
		return err
	}
	var refused []string
	for _, f := range findings {
		if f.Severity != finding.Passed {
			r.Events(&FindingEvent{Finding: f})
		}
		switch {
		case f.Severity == finding.Warning:
			r.say("warning: %s", f.String())
		case f.Severity == finding.Error && r.Operation == gates.Preview:
			r.say("fleet up would refuse this plan: %s", f.String())
		case f.Severity == finding.Error:
			refused = append(refused, "  "+f.String())
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

// quotas returns the findings of all folders together. Accounts with the same ID are the same if their environments have the same scope.
func (r *fleetRun) quotas(ctx context.Context, jobs []*FleetJob) ([]finding.Finding, error) {
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
		session, err := r.session(ctx, dir)
		if err != nil {
			return nil, err
		}
		needed, err := fleet.CountDemands(ctx, session, names, r.Parallel)
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

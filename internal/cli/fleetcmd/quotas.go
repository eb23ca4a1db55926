package fleetcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"
)

// checkQuotas compares what the stacks would create together with the quotas of their accounts. Exceeding a quota is an error if the
// operation refuses it, otherwise a warning.
func checkQuotas(ctx context.Context, c *invocation.Invocation, opened *sessions, op stackCommand, jobs []*fleet.Job, parallel int) error {
	findings, err := quotaFindings(ctx, opened, jobs, parallel)
	if err != nil {
		return err
	}
	var refused []string
	for _, f := range findings {
		if c.JSON != nil && f.Verdict != preflight.Passes {
			c.JSON.Write("finding", f)
		}
		switch {
		case f.Verdict == preflight.Warns:
			c.Say("warning: %s", f.Line())
		case f.Verdict == preflight.Fails && !op.refuses:
			c.Say("fleet up would refuse this plan: %s", f.Line())
		case f.Verdict == preflight.Fails:
			refused = append(refused, "  "+f.Line())
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("AWS would refuse what these %d stacks create together; nothing was started:\n%s", len(jobs), strings.Join(refused, "\n")),
		Remedy:  "correct this, select fewer stacks, or use --skip-preflight to continue",
	}
}

// quotaFindings returns the findings about quotas of the stacks of all folders together. Accounts with the same ID are the same if their environments have the same scope.
func quotaFindings(ctx context.Context, opened *sessions, jobs []*fleet.Job, parallel int) ([]preflight.Finding, error) {
	byDir := map[string]map[string]string{}
	for _, job := range jobs {
		if byDir[job.Dir] == nil {
			byDir[job.Dir] = map[string]string{}
		}
		byDir[job.Dir][job.Stack] = job.ID
	}
	report := &preflight.Report{}
	demands, accounts := map[string][]preflight.Demand{}, map[string]preflight.Accounts{}
	for dir, names := range byDir {
		session, err := opened.of(ctx, dir)
		if err != nil {
			return nil, err
		}
		needed, err := session.FleetDemands(ctx, names, parallel)
		if err != nil {
			return nil, err
		}
		defer needed.Close()
		report.Add(needed.Uncounted...)
		scope := session.Environment.Scope()
		demands[scope] = append(demands[scope], needed.Demands...)
		if accounts[scope] == nil {
			accounts[scope] = preflight.Accounts{}
		}
		for place, account := range needed.Accounts {
			accounts[scope][place] = account
		}
	}
	ctx, cancel := context.WithTimeout(ctx, preflight.Within)
	defer cancel()
	for scope, accounts := range accounts {
		report.Add(preflight.CheckQuotas(ctx, demands[scope], accounts)...)
	}
	return report.Findings, nil
}

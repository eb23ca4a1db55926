package fleetcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"
)

// checkQuotas compares what the stacks would create together with the quotas of their accounts. Exceeding a quota is an error if the
// operation refuses it, otherwise a warning.
func checkQuotas(ctx context.Context, c *invocation.Invocation, opened *sessions, op operation, jobs []*fleet.Job, parallel int) error {
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

// quotaFindings returns the findings about quotas of the stacks of all folders together. Offline each folder has its own accounts.
func quotaFindings(ctx context.Context, opened *sessions, jobs []*fleet.Job, parallel int) ([]preflight.Finding, error) {
	byDir := map[string]map[string]string{}
	for _, job := range jobs {
		if byDir[job.Dir] == nil {
			byDir[job.Dir] = map[string]string{}
		}
		byDir[job.Dir][job.Stack] = job.ID
	}
	checked := func(demands []preflight.Demand, accounts preflight.Accounts) []preflight.Finding {
		ctx, cancel := context.WithTimeout(ctx, preflight.Within)
		defer cancel()
		return preflight.CheckQuotas(ctx, demands, accounts)
	}
	report := &preflight.Report{}
	var demands []preflight.Demand
	accounts := preflight.Accounts{}
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
		if session.Offline {
			report.Add(checked(needed.Demands, needed.Accounts)...)
			continue
		}
		demands = slices.Concat(demands, needed.Demands)
		for place, account := range needed.Accounts {
			accounts[place] = account
		}
	}
	report.Add(checked(demands, accounts)...)
	return report.Findings, nil
}

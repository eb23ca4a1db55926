package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/hosted"
)

// quotas compares a plan with the quotas of its accounts.
type quotas struct {
	run.NoFeature

	skip bool
}

// Gates implements run.Feature.
func (q *quotas) Gates(r *run.Operation, p *run.Planned) []gate.Gate {
	if q.skip {
		return nil
	}
	return []gate.Gate{gate.WithCheck(gate.NameQuotas, func(ctx context.Context, verb gates.Operation) (gate.Answer, error) {
		report, err := r.Checker.PreflightQuick(ctx, p.Plan, verb == gates.Preview)
		if err != nil {
			return gate.Answer{}, err
		}
		answer := gate.Answer{Refused: report.Err(r.Stack.Name)}
		for _, f := range finding.Merge(report.Findings) {
			if f.Severity == finding.Warning {
				answer.Warnings = append(answer.Warnings, "preflight: "+f.String())
			}
		}
		return answer, nil
	})}
}

// backups deletes the schedules of backups of a hosted cluster with the cluster.
type backups struct {
	run.NoFeature

	found hosted.Backups
}

// Planned reports the backups and schedules.
func (b *backups) Planned(ctx context.Context, r *run.Operation, p *run.Planned) error {
	if r.Gates.Deletion.ManagementGone {
		return nil
	}
	if found, err := r.Cluster.Backups(ctx); err == nil && found.Text() != "" { // an error is said when they are deleted
		p.Notes = append(p.Notes, found.Text())
	}
	return nil
}

// Changing finds the schedules.
func (b *backups) Changing(ctx context.Context, r *run.Operation) (err error) {
	if r.Gates.Deletion.ManagementGone {
		return nil
	}
	if b.found, err = r.Cluster.Backups(ctx); err != nil {
		r.Stack.Say("schedules of backups may stay, because they were not listed: %s", err)
	}
	return nil
}

// ClusterGone deletes the schedules.
func (b *backups) ClusterGone(ctx context.Context, r *run.Operation) error {
	if failed := r.Cluster.DeleteSchedules(ctx, b.found); failed != nil {
		r.Stack.Say("a schedule of backups stays: %s", failed)
	}
	return nil
}

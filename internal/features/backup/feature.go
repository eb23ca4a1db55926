package backup

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// Schedules deletes the schedules of backups of a hosted cluster with the cluster.
type Schedules struct {
	run.NoFeature

	found Backups
}

var _ run.Feature = (*Schedules)(nil)

// Planned reports the backups and schedules.
func (b *Schedules) Planned(ctx context.Context, r *run.Operation, p *run.Planned) error {
	if r.Gates.Deletion.ManagementGone {
		return nil
	}
	if found, err := Find(ctx, r.Cluster); err == nil && found.Text() != "" { // an error is said when they are deleted
		p.Notes = append(p.Notes, found.Text())
	}
	return nil
}

// Changing finds the schedules.
func (b *Schedules) Changing(ctx context.Context, r *run.Operation) (err error) {
	if r.Gates.Deletion.ManagementGone {
		return nil
	}
	if b.found, err = Find(ctx, r.Cluster); err != nil {
		r.Stack.Say("schedules of backups may stay, because they were not listed: %s", err)
	}
	return nil
}

// ClusterGone deletes the schedules.
func (b *Schedules) ClusterGone(ctx context.Context, r *run.Operation) error {
	if failed := b.found.DeleteSchedules(ctx); failed != nil {
		r.Stack.Say("a schedule of backups stays: %s", failed)
	}
	return nil
}

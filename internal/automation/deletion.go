package automation

import (
	"context"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

// deletion reports the progress of the deletion of the stack's hosted cluster, read from its management cluster: the engine reports nothing
// while it waits for up to an hour.
type deletion struct {
	api     clusterstatus.ManagementCluster
	cluster *clusterstatus.HostedCluster
	every   time.Duration
	report  func(report.Event)
}

// watch reports what blocks the deletion of the hosted cluster whenever that changes, until ctx ends.
func (d *deletion) watch(ctx context.Context) {
	ticker := time.NewTicker(d.every)
	defer ticker.Stop()
	var said string
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if why := d.blockers(ctx); why != "" && why != said && ctx.Err() == nil {
			d.report(&report.NoteEvent{Message: "waiting for the deletion of the hosted cluster: " + why})
			said = why
		}
	}
}

// blockers returns what blocks the requested deletion of the hosted cluster; "" if the cluster is deleted, or if its deletion was not
// requested.
func (d *deletion) blockers(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return clusterstatus.ClusterBlockers(ctx, d.api, d.cluster)
}

// watchDeletion begins to report what blocks the deletion of the stack's hosted cluster. It returns nil if the stack has none, or if its
// management cluster cannot be found. end stops it, reports what blocks the deletion then if blocked is true, and is called once.
func (s *Stack) watchDeletion(ctx context.Context) (end func(held bool)) {
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return func(bool) {}
	}
	api, err := s.openManagementCluster()
	if err != nil {
		return func(bool) {}
	}
	d := &deletion{api: api, cluster: cluster, every: time.Minute, report: s.session.Report}
	if s.session.Offline {
		d.every = 800 * time.Millisecond
	}
	watching, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.watch(watching)
	}()
	return func(held bool) {
		cancel()
		<-done
		if why := d.blockers(ctx); held && why != "" {
			s.session.Report(&report.NoteEvent{Message: why})
		}
		_ = api.Close()
	}
}

package automation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
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

// CheckDeletable fails if the management cluster that has the stack's cluster cannot be read for it, because nothing else deletes the
// cluster. With gone, which says that the management cluster no longer exists, it fails if its API server answers.
func (s *Stack) CheckDeletable(ctx context.Context, cluster *clusterstatus.HostedCluster, gone bool) error {
	why := s.readCluster(ctx, cluster)
	switch {
	case gone && (why == nil || apierrors.IsForbidden(why) || apierrors.IsUnauthorized(why)):
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("the API server of stack %s's management cluster answers: its operators delete cluster %s; nothing was changed", s.Name, cluster.Name),
			Remedy:  "leave --management-cluster-gone out", Cause: why,
		}
	case why == nil || gone:
		return nil
	}
	return &failure.Error{
		Reason: failure.Failed,
		Problem: fmt.Sprintf("the management cluster of stack %s cannot be read for cluster %s, which only its operators delete, with its machines and "+
			"load balancers; nothing was changed: %s", s.Name, cluster.Name, why),
		Remedy: "correct the kubeconfig, the network or the credentials in it, and run destroy again; if the management cluster no longer exists, " +
			"use --management-cluster-gone",
		Cause: why,
	}
}

// readCluster reads the stack's cluster from its management cluster, for its error alone.
func (s *Stack) readCluster(ctx context.Context, cluster *clusterstatus.HostedCluster) error {
	if err := s.currentState(ctx); err != nil {
		return s.classify(err)
	}
	kind := crd.HostedCluster
	if s.IsCAPA(ctx) {
		kind = "Cluster"
	}
	return s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		_, err := api.Get(ctx, kind, cluster.Namespace, cluster.Name)
		return err
	})
}

// forgetObjects removes the stack's objects in a management cluster that no longer exists, and their provider, from the state.
func (s *Stack) forgetObjects(ctx context.Context) error {
	if err := s.currentState(ctx); err != nil {
		return s.classify(err)
	}
	d, err := s.state.Copy()
	if err != nil {
		return err
	}
	forgotten := map[string]bool{}
	for _, r := range d.Resources {
		if strings.HasPrefix(string(r.Type), "kubernetes:") || r.Type == "pulumi:providers:kubernetes" {
			forgotten[string(r.URN)] = true
		}
	}
	if len(forgotten) == 0 {
		return nil
	}
	if err := s.backup().Keep(); err != nil {
		return err
	}
	d.Resources = slices.DeleteFunc(d.Resources, func(r *state.Resource) bool { return forgotten[string(r.URN)] })
	for _, r := range d.Resources {
		if err := r.Forget(forgotten); err != nil {
			return err
		}
	}
	if err := s.recovered(ctx).Import(ctx, d); err != nil {
		return err
	}
	s.session.Report(&report.NoteEvent{Message: fmt.Sprintf("removed %d objects of the deleted management cluster from the state of stack %s", len(forgotten)-1, s.Name)})
	return nil
}

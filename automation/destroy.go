package automation

import (
	"context"
	"errors"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/backup"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
)

// DestroyOptions configure Destroy.
type DestroyOptions struct {
	// Decide is asked before anything is deleted; and first for the name of the cluster in the stack's state, unless Cluster is set.
	Decide Decide
	// Cluster confirms a deletion. It is the name of the hosted cluster or Cluster in the stack's state; for a stack of kind nodePools, the name of
	// the living hosted cluster. It allows nothing else.
	Cluster string
	// UnderLivingCluster is the name of a cluster whose network, roles and nodes are deleted although it is alive or may be. Each use is kept in
	// the journal of consents.
	UnderLivingCluster string
	// ManagementClusterGone asserts that the management cluster no longer exists: its objects are removed from the state, and a sweep deletes in AWS
	// what its operators would have deleted.
	ManagementClusterGone bool
	// Data also deletes the volumes, snapshots and buckets that the hosted cluster left; KeepLeftovers keeps all that it left.
	Data, KeepLeftovers bool
	// RemoveState also removes the stack's empty state and its history.
	RemoveState bool
}

// DestroyResult is the plan and the result of a deletion.
type DestroyResult struct {
	// Stack is the stack's name.
	Stack string
	// Planned is the plan that was decided on, and Done the plan that was carried out; nil if the deletion did not get that far.
	Planned, Done *Plan
	Forecast      *Forecast
}

// Destroy deletes all resources of the stack: the cluster in its state first, then what its operators left in AWS, then the network and the roles.
// Nothing is deleted while a cluster is alive, or may be.
func (s *Stack) Destroy(ctx context.Context, o DestroyOptions) (*DestroyResult, error) {
	ctx, r, err := s.begin(ctx, gates.Destroy, opening{mode: run.MustExist, anyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.close()
	result := &DestroyResult{Stack: r.Stack.Name}
	r.Connection.Lost = o.ManagementClusterGone && o.UnderLivingCluster != ""
	if err := r.Connection.Resolve(ctx, r.operation); err != nil {
		return result, err
	}
	if _, err := r.Recovery.Recover(ctx); err != nil {
		return result, err
	}
	deletion, err := r.Gates.Check(ctx, o.ManagementClusterGone, o.UnderLivingCluster)
	if err != nil {
		return result, err
	}
	if err := r.stopAt(ctx, gate.WithCheck(gate.NameConsent, gate.Refuses(func(ctx context.Context) error { return r.named(ctx, deletion, o) }))); err != nil {
		return result, err
	}
	planned, err := r.Destroyer.Preview(ctx)
	if err != nil {
		return result, err
	}
	result.Planned = planned
	f, err := r.forecast(planned, nil)
	if err != nil {
		return result, err
	}
	result.Forecast = &f.Forecast
	if !o.ManagementClusterGone {
		if backups, err := backup.Find(ctx, r.Cluster); err == nil && backups.Text() != "" { // an error is said when they are deleted
			r.event(&MessageEvent{Text: backups.Text()})
		}
	}
	resources := deletedBy(planned)
	question := Question{Text: "Delete these resources?", Plan: planned, Cluster: deletion.Cluster, Resources: resources}
	if question.Living = deletion.NeedsConsent(); question.Living != "" {
		question.Text = fmt.Sprintf("This deletes %s that cluster %s uses, including its nodes: %s. Delete these resources?", report.Number(len(resources), "resource"), deletion.Cluster, question.Living)
	}
	if planned.HasChanges {
		if err := r.ask(ctx, o.Decide, question); err != nil {
			return result, err
		}
	}
	r.Destroyer.Schedules = func(ctx context.Context) (func(context.Context) error, error) {
		backups, err := backup.Find(ctx, r.Cluster)
		return backups.DeleteSchedules, err
	}
	err = r.follow(f, func() error {
		if err := r.Gates.Begin(ctx, resources); err != nil {
			return err
		}
		var err error
		result.Done, err = r.Destroyer.Destroy(ctx, o.Data, o.KeepLeftovers)
		return err
	})
	if err != nil {
		if why := r.Cluster.VPCBlockers(ctx); why != "" {
			r.event(&MessageEvent{Text: why})
		}
		return result, errors.Join(err, r.Gates.Protect(ctx))
	}
	return result, r.removeState(ctx, o.RemoveState)
}

// named fails unless the deletion of the cluster in the stack's state, or of nodes of a living cluster of another owner, is confirmed by the cluster's name.
func (r *operation) named(ctx context.Context, deletion *life.Deletion, o DestroyOptions) error {
	cluster, kind, text := deletion.Object, "hosted cluster", "This deletes the hosted cluster %s and all that runs on it. Enter its name: "
	switch {
	case deletion.CAPA:
		kind, text = "Cluster", "This deletes the Cluster %s with its machines and all that runs on them. Enter its name: "
	case deletion.Guest != nil:
		cluster, text = deletion.Guest, "This deletes node pools of the hosted cluster %s, their nodes and all that runs on them. Enter its name: "
	}
	if cluster == nil || o.Cluster == "" && deletion.CAPA && len(cluster.Protected) == 0 {
		return nil
	}
	return r.confirmCluster(ctx, o.Decide, o.Cluster, kind, Question{
		Text: fmt.Sprintf(text, cluster.Name), Name: cluster.Name, Machines: deletion.CAPA, NodePools: deletion.Guest != nil,
	})
}

// confirmCluster fails unless a question about a cluster is answered by the cluster's name, or the given name is the cluster's; kind describes it.
func (r *operation) confirmCluster(ctx context.Context, decide Decide, given, kind string, q Question) error {
	if given == "" {
		return r.ask(ctx, decide, q)
	}
	if given != q.Name {
		return refuse("--cluster is %s, but the %s of stack %s is %s", given, kind, r.Stack.Name, q.Name)
	}
	return nil
}

// deletedBy returns the resources that a plan deletes, by their types and names.
func deletedBy(planned *changes.Plan) []string {
	var deleted []string
	for _, step := range plan.Listed(planned) {
		if step.Change == changes.Delete {
			deleted = append(deleted, step.Type+" "+step.Name)
		}
	}
	return deleted
}

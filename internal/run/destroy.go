package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	api "github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
)

// DestroyOptions configure Destroy.
type DestroyOptions struct {
	// Decide is asked before anything is deleted; and first for the name of the cluster in the stack's state, unless
	// Cluster is set.
	Decide api.Decide
	// Cluster confirms a deletion: the name of the cluster in the stack's state or, for node pools, of the living hosted
	// cluster.
	Cluster string
	// UnderLivingCluster is the name of a cluster whose network, roles and nodes are deleted although it is alive or may
	// be.
	UnderLivingCluster string
	// ManagementClusterGone asserts that the management cluster no longer exists.
	ManagementClusterGone bool
	// Allow are the IDs of what others have in the stack's VPC, zones and roles, and that does not keep it from being
	// deleted.
	Allow []string
	// Together deletes the hosted cluster with everything else. Default: first and alone, so that what its operators left
	// can be deleted.
	Together bool
	// RemoveState also removes the stack's empty state and its history.
	RemoveState bool
	// Features take part in the deletion.
	Features Features
}

// DestroyResult is the plan and the result of a deletion.
type DestroyResult struct {
	// Stack is the stack's name.
	Stack string
	// Planned is the plan that was decided on, and Done the plan that was carried out; nil if the deletion did not get
	// that far.
	Planned, Done *changes.Plan
	Forecast      *forecast.Forecast
}

// Destroy deletes all resources of the stack: the cluster in its state first, then what its operators left in AWS, then
// the network and the roles. Nothing is deleted while a cluster is alive, or may be.
func (s *Stack) Destroy(ctx context.Context, o DestroyOptions) (*DestroyResult, error) {
	ctx, r, err := s.Begin(ctx, gates.Destroy, OpenOptions{Mode: MustExist, AnyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	result := &DestroyResult{Stack: r.Stack.Name}
	if err := o.Features.begin(ctx, r); err != nil {
		return result, err
	}
	others, recordAllowed := r.othersGate(o.Allow)
	deletion, err := r.judge(ctx, o, others)
	if err != nil {
		return result, err
	}
	made, err := r.Destroyer.Preview(ctx)
	if err != nil {
		return result, err
	}
	result.Planned = made
	planned, err := r.planned(ctx, made, nil, o.Features)
	if err != nil {
		return result, err
	}
	result.Forecast = planned.Forecast
	if !deletion.ManagementGone {
		if err := r.StopAt(ctx, r.Deletions(made)); err != nil {
			return result, err
		}
	}
	resources := deletedBy(made)
	if made.HasChanges {
		if err := r.Ask(ctx, o.Decide, questionOf(deletion, made, resources)); err != nil {
			return result, err
		}
		if err := r.StopAt(ctx, others.Quiet()); err != nil { // others may have added something while the question waited
			return result, err
		}
	}
	err = r.change(ctx, planned, o.Features, func() error {
		if err := errors.Join(r.Gates.Begin(ctx, resources), recordAllowed()); err != nil {
			return err
		}
		var err error
		result.Done, err = r.Destroyer.Destroy(ctx, deletionSteps{
			together:    o.Together,
			changing:    func() error { return o.Features.changing(ctx, r) },
			clusterGone: func() error { return o.Features.clusterGone(ctx, r) },
		})
		return err
	})
	if err != nil {
		if why := r.Cluster.VPCBlockers(ctx); why != "" {
			r.Event(&api.Message{Text: why})
		}
		return result, errors.Join(err, r.Gates.Protect(ctx))
	}
	return result, r.RemoveState(ctx, o.RemoveState)
}

// judge binds the deletion's target, settles what an earlier run left unfinished, and asks the gates of a deletion.
func (r *Operation) judge(ctx context.Context, o DestroyOptions, others gate.Gate) (*life.Deletion, error) {
	r.Connection.Lost = o.ManagementClusterGone && o.UnderLivingCluster != ""
	if err := r.Connection.Bind(ctx, r.Verb); err != nil {
		return nil, err
	}
	if _, err := r.Recovery.Recover(ctx); err != nil {
		return nil, err
	}
	deletion, err := r.Gates.Check(ctx, o.ManagementClusterGone, o.UnderLivingCluster)
	if err != nil {
		return nil, err
	}
	consent := gate.New(ConsentGate(), gate.Refuses(func(ctx context.Context) error { return r.named(ctx, deletion, o) }))
	return deletion, r.StopAt(ctx, others, consent)
}

// ConsentGate describes the gate of a deletion that nobody has confirmed by a name.
func ConsentGate() gates.Gate {
	return gates.Gate{
		Name: "consent",
		Refuses: "the deletion of the cluster in the stack's state, or of node pools of a living one, unless its " +
			"name is entered or is the value of --cluster, because --yes alone must not delete a cluster or its nodes",
		WayOn:      "`--cluster`",
		Operations: []gates.Operation{gates.Destroy},
		Cost:       gates.CostFree,
	}
}

// questionOf returns the question before a deletion.
func questionOf(deletion *life.Deletion, planned *changes.Plan, resources []string) api.Question {
	q := api.Question{Text: "Delete these resources?", Plan: planned, Cluster: deletion.Cluster, Resources: resources, Living: deletion.ConsentReason()}
	if q.Living != "" {
		q.Text = fmt.Sprintf("This deletes %s that cluster %s uses, including its nodes: %s. Delete these resources?",
			report.Number(len(resources), "resource"), deletion.Cluster, q.Living)
	}
	return q
}

// named fails unless the deletion of the cluster in the stack's state, or of nodes of a living cluster of another
// owner, is confirmed by the cluster's name.
func (r *Operation) named(ctx context.Context, deletion *life.Deletion, o DestroyOptions) error {
	cluster, kind, text := deletion.Object, "hosted cluster",
		"This deletes the hosted cluster %s and all that runs on it. Enter its name: "
	switch {
	case deletion.CAPA:
		kind, text = "Cluster", "This deletes the Cluster %s with its machines and all that runs on them. Enter its name: "
	case deletion.Guest != nil:
		cluster, text = deletion.Guest, "This deletes node pools of the hosted cluster %s, their nodes and all that runs on them. Enter its name: "
	}
	if cluster == nil || o.Cluster == "" && deletion.CAPA && len(cluster.Protected) == 0 {
		return nil
	}
	return r.ConfirmCluster(ctx, o.Decide, o.Cluster, kind, api.Question{
		Text: fmt.Sprintf(text, cluster.Name), Name: cluster.Name, Machines: deletion.CAPA, NodePools: deletion.Guest != nil,
	})
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

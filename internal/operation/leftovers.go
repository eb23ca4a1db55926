package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/discovery/sweep"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// leftovers is what a destroy does with what a hosted cluster's operators left in AWS. It is deleted by default, except data.
type leftovers struct {
	// data includes volumes, snapshots and buckets; keep keeps all.
	data, keep bool
	// of is the hosted cluster. It is found once, while the state still shows which it is.
	of sweptCluster
}

// sweptCluster is the hosted cluster of a cluster stack; the zero value is none.
type sweptCluster struct {
	name, infraID string
	// notOwn is true if only the stack's file has the infra ID.
	notOwn bool
}

// sweptCluster returns the hosted cluster whose leftovers a destroy of the stack deletes. It returns none for a stack of another kind, and none for a
// stack without resources, because then only the file names a cluster.
func (s *Stack) sweptCluster(ctx context.Context) (sweptCluster, error) {
	d, err := dependent(ctx, s)
	if err != nil || d.kind != crd.HostedCluster || len(s.state.Resources) == 0 {
		return sweptCluster{}, err
	}
	if in := stateTarget(s.state, s.file); in.kind == config.KindCluster {
		return sweptCluster{name: d.name, infraID: d.infraID, notOwn: in.infraID != d.infraID}, nil
	}
	return sweptCluster{}, nil
}

// LeftError is the error of a destroy whose sweep left something: it was refused, it failed or it is incomplete.
type LeftError struct {
	Stack string
	// Left is what stays in each account.
	Left []sweep.Left
	// Cause is the error of a sweep that is incomplete, nil if there is none.
	Cause error
}

// living returns why the cluster is alive, or may be, "" if it is gone in all accounts.
func (e *LeftError) living() string {
	for _, left := range e.Left {
		if left.Living != "" {
			return left.Living
		}
	}
	return ""
}

// endsDestroy reports whether the error is that of a sweep that found the cluster alive, or not certainly gone: nothing that it needs may be
// deleted then.
func endsDestroy(err error) bool {
	var ended *failure.Error
	return errors.As(err, &ended) && ended.Code == failure.CodeLiving
}

// Error returns what stays, and what to do next.
func (e *LeftError) Error() string {
	text := "what the hosted cluster of stack " + e.Stack + " left in AWS was not completely deleted"
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	for _, left := range e.Left {
		for _, held := range left.Held {
			text += report.Sentence("\n  %s (account %s, %s): %s: %s", sweep.Describe(held.Resource), left.Place.Account, left.Place.Region, held.Gate, held.Why)
		}
		for _, failed := range left.Failed {
			text += report.Sentence("\n  %s (account %s, %s): %v", sweep.Describe(failed.Resource), left.Place.Account, left.Place.Region, failed.Err)
		}
	}
	return text
}

// Unwrap returns the cause.
func (e *LeftError) Unwrap() error { return e.Cause }

// leftoversWithin limits the time of the search for leftovers, and their deletion.
const leftoversWithin = 15 * time.Minute

// destroyCluster deletes only the stack's hosted cluster, so that what its operators leave can be deleted while the network and the roles
// exist. It does nothing for a stack without one.
func (s *Stack) destroyCluster(ctx context.Context, left leftovers) (*operation, error) {
	none := newOperation(gate.Destroy, s.Name, s.session.Report, time.Now)
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return none, err
	}
	if s.session.Environment.KnowsAccounts() {
		if err := s.noteHosts(ctx, left.of, cluster); err != nil {
			s.say("not all resources that the hosted cluster leaves may be found: %s", err)
		}
	}
	if left.keep {
		return none, nil
	}
	op, err := s.changePart(ctx, gate.Destroy, nil, func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.Destroy(ctx, optdestroy.Target([]string{cluster.URN}), optdestroy.TargetDependents(), optdestroy.EventStreams(ch),
			optdestroy.SuppressProgress(), optdestroy.SuppressOutputs())
		return err
	})
	if err != nil && op.seen {
		s.session.Report(op.done.Summary)
	}
	if s.clusterDeleted = err == nil; err == nil {
		err = s.recordDeleted()
	}
	return op, err
}

// sweepLeftovers deletes what the operators of the stack's hosted cluster left in AWS. The cluster is already deleted, so nothing else will
// delete it. It reports what it deleted, and returns a LeftError if something stays: if that blocks the network, AWS refuses the network's
// deletion. An error for which endsDestroy is true is that of a cluster that may be alive.
func (s *Stack) sweepLeftovers(ctx context.Context, left leftovers) error {
	if !s.session.Environment.KnowsAccounts() || left.keep {
		return nil
	}
	stays := &LeftError{Stack: s.Name}
	stays.Cause = bounded(ctx, s.session.Interrupts, func(ctx context.Context) (err error) {
		stays.Left, err = s.sweepOwn(ctx, left)
		return err
	})
	stays.Left = slices.DeleteFunc(stays.Left, func(l sweep.Left) bool { return len(l.Held)+len(l.Failed) == 0 && l.Living == "" })
	if stays.Cause == nil && len(stays.Left) == 0 {
		return nil
	}
	s.say("%s", stays)
	if why := stays.living(); why != "" {
		if consent := s.deletion.Consent; consent != "" {
			return s.RecordUse(Use{Flag: gate.ConsentFlag, Value: consent, Evidence: why})
		}
		return &failure.Error{
			Reason: failure.Failed, Code: failure.CodeLiving, Cause: stays,
			Problem: fmt.Sprintf("cluster %s, whose infra ID %s the resources of stack %s have, is not certainly gone, so that its network, roles and zones were not deleted: %s",
				left.of.name, left.of.infraID, s.Name, why),
			Remedy: "correct the kubeconfigs, or find out which cluster has that infra ID, and run destroy again; docs/hostedcluster.md describes " + gate.ConsentFlag,
		}
	}
	return &failure.Error{
		Reason: failure.Failed, Problem: stays.Error(), Cause: stays,
		Remedy: fmt.Sprintf("`hypershift-aws sweep -s %s` lists what is left", s.Name),
	}
}

// errOutOfTime is the error of a search for leftovers, or of their deletion, that was ended for its time.
var errOutOfTime = fmt.Errorf("not done after %.0f minutes", leftoversWithin.Minutes())

// bounded calls do with a context that ends after leftoversWithin, or when the user interrupts.
func bounded(ctx context.Context, interrupts *engine.Interrupts, do func(context.Context) error) error {
	ctx, end := context.WithTimeoutCause(ctx, leftoversWithin, errOutOfTime)
	defer end()
	ctx, cancel := interrupts.Context(ctx)
	defer cancel()
	err := do(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errOutOfTime) {
		return errOutOfTime
	}
	return err
}

// sweepOwn sweeps the accounts of the stack for resources that have the tag of its cluster and are in no state, and returns what stays. The gates
// of the destroy have decided that the cluster is deleted, or the user consents, so that no management cluster has to prove it again; a cluster
// that one of them still has is not swept.
func (s *Stack) sweepOwn(ctx context.Context, left leftovers) (stays []sweep.Left, err error) {
	swept := sweep.DestroyOptions{
		Data: left.data, Decided: true, Log: func(sentence string) { s.say("%s", sentence) },
	}
	err = s.inSweptAccounts(ctx, left.of, func(scope *sweep.Scope, aws account.Account) error {
		swept.Own = s.state.Resources
		rest, err := scope.AfterCluster(ctx, aws, swept)
		stays = append(stays, rest)
		if err == nil && s.session.Interrupts.Count() > 0 {
			err = engine.ErrInterrupted
		}
		return err
	})
	return stays, err
}

// noteHosts records, before the cluster is deleted, the hosts at which DNS records may point.
func (s *Stack) noteHosts(ctx context.Context, swept sweptCluster, cluster *clusterstatus.HostedCluster) error {
	ctx, cancel := context.WithTimeout(ctx, leftoversWithin)
	defer cancel()
	return s.inSweptAccounts(ctx, swept, func(scope *sweep.Scope, aws account.Account) error {
		return scope.NoteHosts(ctx, aws, sweep.ControlPlaneNamespace(cluster.Namespace, cluster.Name))
	})
}

// inSweptAccounts calls do with each account and region of the stack of a hosted cluster, once. Other stacks have nothing to sweep.
func (s *Stack) inSweptAccounts(ctx context.Context, swept sweptCluster, do func(*sweep.Scope, account.Account) error) error {
	if swept.infraID == "" {
		return nil
	}
	if err := s.currentState(ctx); err != nil {
		return err
	}
	if err := s.attach(); err != nil {
		return err
	}
	scope := sweepScope(s)
	scope.InfraID, scope.NotOwn = swept.infraID, swept.notOwn
	if own := s.kubeconfig(); own != nil {
		scope.Kubeconfigs = []config.Kubeconfig{*own}
	}
	if err := scope.AddStack(ctx, s.Name, s.file); err != nil {
		return err
	}
	errs := scope.Unusable
	for _, aws := range scope.Accounts {
		if err := do(&scope, aws); err != nil {
			place, _ := aws.Place(ctx) // it is known since AddStack
			errs = append(errs, fmt.Errorf("account %s, %s: %w", place.Account, place.Region, err))
		}
	}
	return errors.Join(errs...)
}

package automation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"

	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// DestroyOptions determine the treatment of what a hosted cluster's operators left in AWS. It is deleted by default, except data.
type DestroyOptions struct {
	// Data includes volumes, snapshots and buckets.
	Data bool
	// KeepLeftovers keeps all leftovers.
	KeepLeftovers bool
	// ManagementDeleted is true if the user confirms that the management cluster no longer exists: its objects are removed from the state,
	// and what its operators would have deleted is deleted as leftovers.
	ManagementDeleted bool
}

// leftoversWithin limits the time of the search for leftovers, and their deletion.
const leftoversWithin = 15 * time.Minute

// destroyCluster deletes only the stack's hosted cluster, so that what its operators leave can be deleted while the network and the roles
// exist. It returns nil for a stack without a hosted cluster.
func (s *Stack) destroyCluster(ctx context.Context, options DestroyOptions) (*operation, error) {
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil || options.KeepLeftovers {
		return newOperation("destroy", s.Name, s.session.Report, time.Now), err
	}
	if s.sweeps(options) {
		if err := s.noteHosts(ctx, cluster); err != nil {
			s.noteUnswept(err)
		}
	}
	op, err := s.changePart(ctx, "destroy", nil, func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.Destroy(ctx, optdestroy.Target([]string{cluster.URN}), optdestroy.TargetDependents(), optdestroy.EventStreams(ch),
			optdestroy.SuppressProgress(), optdestroy.SuppressOutputs())
		return err
	})
	if err != nil && op.seen {
		s.session.Report(op.done.Summary)
	}
	return op, err
}

// sweepLeftovers deletes what the operators of the stack's hosted cluster left in AWS. The cluster is already deleted, so nothing else will
// delete it. It reports what it deleted, and what failed: if that blocks the network, AWS refuses the network's deletion.
func (s *Stack) sweepLeftovers(ctx context.Context, options DestroyOptions) {
	if !s.sweeps(options) {
		return
	}
	err := bounded(ctx, s.session.Interrupts.First(), func(ctx context.Context) error { return s.sweepOwn(ctx, options) })
	if err != nil {
		s.noteUnswept(err)
	}
}

// errOutOfTime is the error of a search for leftovers, or of their deletion, that was ended for its time.
var errOutOfTime = fmt.Errorf("not done after %.0f minutes", leftoversWithin.Minutes())

// bounded calls do with a context that ends after leftoversWithin, or when the user interrupts.
func bounded(ctx context.Context, interrupted <-chan struct{}, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, leftoversWithin, errOutOfTime)
	defer cancel()
	go func() {
		select {
		case <-interrupted:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := do(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errOutOfTime) {
		return errOutOfTime
	}
	return err
}

// sweeps reports whether a destroy sweeps: it does not if PULUMI_DEBUG_PROVIDERS attaches an aws provider, whose account is unknown.
func (s *Stack) sweeps(options DestroyOptions) bool {
	return !options.KeepLeftovers && (s.session.Offline || !attachesAWS(s.session.Environ.Get("PULUMI_DEBUG_PROVIDERS")))
}

func (s *Stack) noteUnswept(err error) {
	s.session.Report(&report.NoteEvent{Message: fmt.Sprintf("not all resources that the hosted cluster left in AWS were found and deleted: %s; "+
		"`hypershift-aws sweep -s %s` lists what is left", err, s.Name)})
}

// sweepOwn sweeps the accounts of the stack for resources that have the tag of its cluster and are in no state.
func (s *Stack) sweepOwn(ctx context.Context, options DestroyOptions) error {
	swept := sweep.DestroyOptions{
		Data: options.Data, ManagementDeleted: options.ManagementDeleted, Log: func(sentence string) { s.session.Report(&report.NoteEvent{Message: sentence}) },
	}
	return s.inSweptAccounts(ctx, func(scope *sweep.Scope, account orphan.Sweepable) error {
		swept.Own = s.state.Resources
		err := scope.AfterCluster(ctx, account, swept)
		if err == nil && s.session.Interrupts.Count() > 0 {
			err = engine.ErrInterrupted
		}
		return err
	})
}

// noteHosts records, before the cluster is deleted, the hosts at which DNS records may point.
func (s *Stack) noteHosts(ctx context.Context, cluster *clusterstatus.HostedCluster) error {
	ctx, cancel := context.WithTimeout(ctx, leftoversWithin)
	defer cancel()
	return s.inSweptAccounts(ctx, func(scope *sweep.Scope, account orphan.Sweepable) error {
		return scope.NoteHosts(ctx, account, cluster.Namespace+"-"+cluster.Name)
	})
}

// inSweptAccounts calls do with each account and region of a cluster stack, once. Other stacks have nothing to sweep.
func (s *Stack) inSweptAccounts(ctx context.Context, do func(*sweep.Scope, orphan.Sweepable) error) error {
	if err := s.currentState(ctx); err != nil {
		return s.classify(err)
	}
	if kind, _ := s.state.Outputs()["kind"].(string); kind != string(config.KindCluster) {
		return nil
	}
	if err := s.attachOffline(); err != nil {
		return err
	}
	scope := s.sweepScope()
	if err := scope.AddStack(ctx, s.Name, s.file); err != nil {
		return err
	}
	seen := map[orphan.Place]bool{}
	for _, account := range scope.Accounts {
		place, err := account.Place(ctx)
		if err != nil {
			return err
		}
		if seen[place] {
			continue
		}
		seen[place] = true
		if err := do(&scope, account); err != nil {
			return fmt.Errorf("account %s, %s: %w", place.Account, place.Region, err)
		}
	}
	return nil
}

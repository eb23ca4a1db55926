package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Leftovers is what a destroy does with resources that a hosted cluster's operators left in AWS. By default they are
// deleted, except data.
type Leftovers struct {
	run.NoFeature

	// Data includes volumes, snapshots and buckets; Keep keeps all.
	Data, Keep bool
	// of is the hosted cluster. It is found once, while the state still shows which it is.
	of binding.Swept
}

var _ run.Feature = (*Leftovers)(nil)

// Changing finds the stack's hosted cluster, and records the hosts at which its DNS records may point.
func (f *Leftovers) Changing(ctx context.Context, r *run.Operation) (err error) {
	if f.of, err = binding.FindSwept(ctx, r.Stack); err != nil || r.Gates.Deletion.ManagementGone {
		return err
	}
	cluster, err := r.Stack.HostedCluster(ctx)
	if err != nil || cluster == nil || !r.Stack.Session.Environment.KnowsAccounts() {
		return err
	}
	if err := f.noteHosts(ctx, r, cluster); err != nil {
		r.Stack.Say("not all resources that the hosted cluster leaves may be found: %s", err)
	}
	return nil
}

// leftoversWithin limits the time of the search for leftovers, and their deletion.
const leftoversWithin = 15 * time.Minute

// ClusterGone deletes what the operators of the stack's hosted cluster left in AWS. The cluster is already deleted, so
// nothing else will delete it. It reports what it deleted, and returns a LeftError if something stays: if that blocks
// the network, AWS refuses the network's deletion. An error with failure.CodeLiving is that of a cluster that may be
// alive.
func (f *Leftovers) ClusterGone(ctx context.Context, r *run.Operation) error {
	if !r.Stack.Session.Environment.KnowsAccounts() || f.Keep {
		return nil
	}
	stays := &LeftError{Stack: r.Stack.Name}
	stays.Cause = bounded(ctx, r.Stack.Session.Interrupts, func(ctx context.Context) (err error) {
		stays.Left, err = f.sweepOwn(ctx, r)
		return err
	})
	stays.Left = slices.DeleteFunc(stays.Left, func(l Left) bool {
		return len(l.Kept)+len(l.Failed) == 0 && l.Living == ""
	})
	if stays.Cause == nil && len(stays.Left) == 0 {
		return nil
	}
	r.Stack.Say("%s", stays)
	if why := stays.living(); why != "" {
		if consent := r.Gates.Deletion.Consent; consent != "" {
			return r.Stack.AddUse(workspace.Use{Flag: gate.ConsentFlag, Value: consent, Evidence: why})
		}
		return &failure.Error{
			Reason: failure.Failed, Code: failure.CodeLiving, Cause: stays,
			Problem: fmt.Sprintf("cluster %s may still exist. Its infra ID, %s, is that of the resources of stack %s, so its network, roles and zones were not deleted: %s",
				f.of.Name, f.of.InfraID, r.Stack.Name, why),
			Remedy: "correct the kubeconfigs, or find out which cluster has that infra ID, and run destroy again; docs/safety.md describes " + gate.ConsentFlag,
		}
	}
	return &failure.Error{
		Reason: failure.Failed, Problem: stays.Error(), Cause: stays,
		Remedy: fmt.Sprintf("`hypershift-aws sweep -s %s` lists what is left", r.Stack.Name),
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

// sweepOwn sweeps the accounts of the stack for resources that have the tag of its cluster and are in no state, and
// returns what stays. The gates of the destroy have decided that the cluster is deleted, or the user consents, so that
// no management cluster has to prove it again; a cluster that one of them still has is not swept.
func (f *Leftovers) sweepOwn(ctx context.Context, r *run.Operation) (stays []Left, err error) {
	swept := DestroyOptions{
		Data: f.Data, Decided: true, Deleted: r.Gates.ClusterDeleted,
		Log: func(sentence string) { r.Stack.Say("%s", sentence) },
	}
	err = f.inSweptAccounts(ctx, r, func(scope *Scope, aws account.Account) error {
		swept.Own = r.Stack.State.Resources
		rest, err := scope.AfterCluster(ctx, aws, swept)
		stays = append(stays, rest)
		if err == nil && r.Stack.Session.Interrupts.Count() > 0 {
			err = engine.ErrInterrupted
		}
		return err
	})
	return stays, err
}

// noteHosts records, before the cluster is deleted, the hosts at which DNS records may point.
func (f *Leftovers) noteHosts(ctx context.Context, r *run.Operation, cluster *clusterstatus.HostedCluster) error {
	ctx, cancel := context.WithTimeout(ctx, leftoversWithin)
	defer cancel()
	return f.inSweptAccounts(ctx, r, func(scope *Scope, aws account.Account) error {
		return scope.NoteHosts(ctx, aws, ControlPlaneNamespace(cluster.Namespace, cluster.Name))
	})
}

// inSweptAccounts calls do with each account and region of the stack of a hosted cluster, once. Other stacks have
// nothing to
func (f *Leftovers) inSweptAccounts(
	ctx context.Context,
	r *run.Operation,
	do func(*Scope, account.Account) error,
) error {
	if f.of.InfraID == "" {
		return nil
	}
	if err := r.Stack.CurrentState(ctx); err != nil {
		return err
	}
	if err := r.Stack.Providers.Attach(); err != nil {
		return err
	}
	scope := scopeOf(r.Stack)
	scope.InfraID, scope.NotOwn = f.of.InfraID, f.of.NotOwn
	if own := r.Connection.Kubeconfig(); own != nil {
		scope.Kubeconfigs = []config.Kubeconfig{*own}
	}
	if err := scope.AddStack(ctx, r.Stack.Name, r.Stack.File); err != nil {
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

// LeftError is the error of a destroy whose sweep left something: it was refused, it failed or it is incomplete.
type LeftError struct {
	Stack string
	// Left is what stays in each account.
	Left []Left
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

// Error returns what stays, and what to do next.
func (e *LeftError) Error() string {
	text := "what the hosted cluster of stack " + e.Stack + " left in AWS was not completely deleted"
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	for _, left := range e.Left {
		for _, held := range left.Kept {
			text += report.Sentence("\n  %s (account %s, %s): %s: %s", Describe(held.Resource), left.Place.Account, left.Place.Region, held.Gate, held.Why)
		}
		for _, failed := range left.Failed {
			text += report.Sentence("\n  %s (account %s, %s): %v", Describe(failed.Resource), left.Place.Account,
				left.Place.Region, failed.Err)
		}
	}
	return text
}

// Unwrap returns the cause.
func (e *LeftError) Unwrap() error { return e.Cause }

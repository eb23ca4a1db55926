package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/hosted"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Destroyer deletes all resources of a stack.
type Destroyer struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
	Gates      *life.Gates
	Cluster    *hosted.Cluster
	Recovery   *Recovery
	Engine     *Engine
	// Schedules finds the schedules that back the stack's cluster up, and returns what deletes them after the cluster; nil is none.
	Schedules func(context.Context) (remove func(context.Context) error, err error)
}

// forgetObjects removes the stack's objects in a management cluster that no longer exists, and their provider, from the state.
func (d *Destroyer) forgetObjects(ctx context.Context) error {
	if err := d.Stack.CurrentState(ctx); err != nil {
		return err
	}
	forgotten := map[string]bool{}
	for _, r := range d.Stack.State.Resources {
		if strings.HasPrefix(string(r.Type), "kubernetes:") || r.Type == "pulumi:providers:kubernetes" {
			forgotten[string(r.URN)] = true
		}
	}
	if len(forgotten) == 0 {
		return nil
	}
	err := d.Stack.Rewrite(ctx, true, func(d *state.Deployment) error {
		d.Resources = slices.DeleteFunc(d.Resources, func(r *state.Resource) bool { return forgotten[string(r.URN)] })
		for _, r := range d.Resources {
			if err := r.Forget(forgotten); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.Stack.Say("removed %s of the deleted management cluster from the state of stack %s",
		report.Number(len(forgotten)-1, "object"), d.Stack.Name)
	return nil
}

// Preview returns what Destroy would delete. The engine refuses to plan the deletion of a protected resource, so that the plan for a
// cluster that the user will be asked about is made on a copy of the state. The stack's own state does not change.
func (d *Destroyer) Preview(ctx context.Context) (*changes.Plan, error) {
	before, err := d.Stack.ResourcesAndProviders(ctx)
	if err != nil {
		return &changes.Plan{}, err
	}
	of := d.Stack.Auto
	if protection := d.Gates.Deletion.Protection; !protection.Empty() {
		copied, remove, err := d.unprotectedCopy(ctx, protection)
		if err != nil {
			return &changes.Plan{}, err
		}
		defer remove()
		of = copied
	}
	made, err := d.Engine.preview(ctx, func(ch chan<- events.EngineEvent) error {
		_, err := of.PreviewDestroy(ctx, optdestroy.EventStreams(ch), optdestroy.SuppressOutputs())
		return err
	})
	made.Before = before
	made.After = slices.DeleteFunc(slices.Clone(before), func(r apitype.ResourceV3) bool { return made.Deletes(string(r.URN)) })
	return made, err
}

// unprotectedCopy returns the stack with a copy of its state in a separate backend, in which nothing is protected. remove removes the copy.
func (d *Destroyer) unprotectedCopy(ctx context.Context, p state.Protection) (copied auto.Stack, remove func(), err error) {
	remove = func() {}
	if err := d.Stack.Providers.Attach(); err != nil {
		return copied, remove, err
	}
	free, err := d.Stack.State.Copy()
	if err != nil {
		return copied, remove, err
	}
	if err := free.Unprotect(p); err != nil {
		return copied, remove, err
	}
	backend, remove, err := engine.TemporaryBackend()
	if err != nil {
		return copied, remove, err
	}
	file := state.NewFile(backend.Folder(), d.Stack.Session.Project.Name(), workspace.BaseName(d.Stack.Name))
	if err := file.CreateWith(free); err != nil {
		return copied, remove, err
	}
	command := *d.Stack.Command
	command.Environ = command.Environ.With("PULUMI_BACKEND_URL", backend.URL)
	local, err := auto.NewLocalWorkspace(ctx, auto.WorkDir(d.Stack.WorkDir), auto.Pulumi(engine.WithoutHistory(&command)))
	if err == nil {
		copied, err = auto.SelectStack(ctx, workspace.BaseName(d.Stack.Name), workspace.StackWorkspace{Workspace: local})
	}
	return copied, remove, err
}

// leftovers says what a destroy does with resources that a hosted cluster's operators left in AWS. By default they are deleted, except data.
type leftovers struct {
	// data includes volumes, snapshots and buckets; keep keeps all.
	data, keep bool
	// of is the hosted cluster. It is found once, while the state still shows which it is.
	of binding.Swept
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

// endsDestroy reports whether a sweep ended with the error because the cluster is alive, or not certainly gone. Then nothing that the cluster needs
// may be deleted.
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

// destroyCluster deletes only the stack's hosted cluster, so that what its operators leave can be deleted while the network and the roles exist. It
// does nothing if the stack has none.
func (d *Destroyer) destroyCluster(ctx context.Context, left leftovers) (*operation, error) {
	none := newOperation(gates.Destroy, d.Stack.Name, d.Stack.Session.Report, time.Now)
	cluster, err := d.Stack.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return none, err
	}
	if d.Stack.Session.Environment.KnowsAccounts() {
		if err := d.noteHosts(ctx, left.of, cluster); err != nil {
			d.Stack.Say("not all resources that the hosted cluster leaves may be found: %s", err)
		}
	}
	if left.keep {
		return none, nil
	}
	op, err := d.Engine.changePart(ctx, gates.Destroy, nil, func(ch chan<- events.EngineEvent) error {
		_, err := d.Stack.Auto.Destroy(ctx, optdestroy.Target([]string{cluster.URN}), optdestroy.TargetDependents(), optdestroy.EventStreams(ch),
			optdestroy.SuppressProgress(), optdestroy.SuppressOutputs())
		return err
	})
	if err != nil && op.seen {
		d.Stack.Session.Report(op.done.Summary)
	}
	if d.Gates.ClusterDeleted = err == nil; err == nil {
		err = d.Gates.RecordDeleted(ctx)
	}
	return op, err
}

// sweepLeftovers deletes what the operators of the stack's hosted cluster left in AWS. The cluster is already deleted, so nothing else will
// delete it. It reports what it deleted, and returns a LeftError if something stays: if that blocks the network, AWS refuses the network's
// deletion. An error for which endsDestroy is true is that of a cluster that may be alive.
func (d *Destroyer) sweepLeftovers(ctx context.Context, left leftovers) error {
	if !d.Stack.Session.Environment.KnowsAccounts() || left.keep {
		return nil
	}
	stays := &LeftError{Stack: d.Stack.Name}
	stays.Cause = bounded(ctx, d.Stack.Session.Interrupts, func(ctx context.Context) (err error) {
		stays.Left, err = d.sweepOwn(ctx, left)
		return err
	})
	stays.Left = slices.DeleteFunc(stays.Left, func(l sweep.Left) bool { return len(l.Held)+len(l.Failed) == 0 && l.Living == "" })
	if stays.Cause == nil && len(stays.Left) == 0 {
		return nil
	}
	d.Stack.Say("%s", stays)
	if why := stays.living(); why != "" {
		if consent := d.Gates.Deletion.Consent; consent != "" {
			return d.Stack.RecordUse(workspace.Use{Flag: gate.ConsentFlag, Value: consent, Evidence: why})
		}
		return &failure.Error{
			Reason: failure.Failed, Code: failure.CodeLiving, Cause: stays,
			Problem: fmt.Sprintf("cluster %s may still exist. Its infra ID, %s, is that of the resources of stack %s, so its network, roles and zones were not deleted: %s",
				left.of.Name, left.of.InfraID, d.Stack.Name, why),
			Remedy: "correct the kubeconfigs, or find out which cluster has that infra ID, and run destroy again; docs/safety.md describes " + gate.ConsentFlag,
		}
	}
	return &failure.Error{
		Reason: failure.Failed, Problem: stays.Error(), Cause: stays,
		Remedy: fmt.Sprintf("`hypershift-aws sweep -s %s` lists what is left", d.Stack.Name),
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
func (d *Destroyer) sweepOwn(ctx context.Context, left leftovers) (stays []sweep.Left, err error) {
	swept := sweep.DestroyOptions{
		Data: left.data, Decided: true, Deleted: d.Gates.ClusterDeleted, Log: func(sentence string) { d.Stack.Say("%s", sentence) },
	}
	err = d.inSweptAccounts(ctx, left.of, func(scope *sweep.Scope, aws account.Account) error {
		swept.Own = d.Stack.State.Resources
		rest, err := scope.AfterCluster(ctx, aws, swept)
		stays = append(stays, rest)
		if err == nil && d.Stack.Session.Interrupts.Count() > 0 {
			err = engine.ErrInterrupted
		}
		return err
	})
	return stays, err
}

// noteHosts records, before the cluster is deleted, the hosts at which DNS records may point.
func (d *Destroyer) noteHosts(ctx context.Context, swept binding.Swept, cluster *clusterstatus.HostedCluster) error {
	ctx, cancel := context.WithTimeout(ctx, leftoversWithin)
	defer cancel()
	return d.inSweptAccounts(ctx, swept, func(scope *sweep.Scope, aws account.Account) error {
		return scope.NoteHosts(ctx, aws, sweep.ControlPlaneNamespace(cluster.Namespace, cluster.Name))
	})
}

// inSweptAccounts calls do with each account and region of the stack of a hosted cluster, once. Other stacks have nothing to sweep.
func (d *Destroyer) inSweptAccounts(ctx context.Context, swept binding.Swept, do func(*sweep.Scope, account.Account) error) error {
	if swept.InfraID == "" {
		return nil
	}
	if err := d.Stack.CurrentState(ctx); err != nil {
		return err
	}
	if err := d.Stack.Providers.Attach(); err != nil {
		return err
	}
	scope := sweepScope(d.Stack)
	scope.InfraID, scope.NotOwn = swept.InfraID, swept.NotOwn
	if own := d.Connection.Kubeconfig(); own != nil {
		scope.Kubeconfigs = []config.Kubeconfig{*own}
	}
	if err := scope.AddStack(ctx, d.Stack.Name, d.Stack.File); err != nil {
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

// Destroy carries out a deletion that the gates have checked (life.Gates.Check), and returns what it did. It deletes all resources of the stack: a
// hosted cluster first, then what its operators left in AWS, then the network and the roles; if the operators left something that the sweep did not
// delete, it fails after all that. While it waits for the hosted cluster, and if it ends before the cluster is deleted, it reports what blocks the
// deletion. It keeps what the operators left with keep, and deletes their data only with data.
func (d *Destroyer) Destroy(ctx context.Context, data, keep bool) (*changes.Plan, error) {
	swept, err := binding.FindSwept(ctx, d.Stack)
	if err != nil {
		return &changes.Plan{}, err
	}
	left := leftovers{data: data, keep: keep, of: swept}
	if d.Gates.Deletion.ManagementGone {
		if err := d.forgetObjects(ctx); err != nil {
			return &changes.Plan{}, err
		}
	}
	removeSchedules := func(context.Context) error { return nil }
	if d.Schedules != nil && !d.Gates.Deletion.ManagementGone {
		if removeSchedules, err = d.Schedules(ctx); err != nil {
			d.Stack.Say("schedules of backups may stay, because they were not listed: %s", err)
		}
	}
	endWatch := d.Cluster.WatchDeletion(ctx)
	op, err := d.destroyCluster(ctx, left)
	if err == nil {
		if failed := removeSchedules(ctx); failed != nil {
			d.Stack.Say("a schedule of backups stays: %s", failed)
		}
	}
	var stays error
	if err == nil {
		stays = d.sweepLeftovers(ctx, left)
		if endsDestroy(stays) {
			err, stays = stays, nil
		} else {
			op, err = d.destroyAll(ctx, op)
		}
	}
	endWatch(err != nil)
	if err == nil {
		err = d.Gates.Confirmed().Clear()
	}
	remains, unknown := d.Stack.Session.Environment.Remains(err == nil)
	for _, sentence := range remains {
		d.Stack.Say("%s", sentence)
	}
	return &op.done.Plan, errors.Join(err, unknown, stays)
}

// destroyAll deletes all resources of the state, and those that earlier runs were stopped while creating and that AWS shows only now.
func (d *Destroyer) destroyAll(ctx context.Context, before *operation) (*operation, error) {
	if err := d.Stack.CurrentState(ctx); err != nil {
		return before, err
	}
	providers := slices.DeleteFunc(slices.Clone(d.Stack.State.Resources), func(r *state.Resource) bool { return r.Type != "pulumi:providers:aws" })
	for {
		op, err := d.Engine.change(ctx, gates.Destroy, before, d.Engine.runEngine(gates.Destroy, func(ch chan<- events.EngineEvent) error {
			_, err := d.Stack.Auto.Destroy(ctx, optdestroy.EventStreams(ch), optdestroy.SuppressProgress(), optdestroy.SuppressOutputs())
			return err
		}))
		if err != nil || d.Stack.Session.Interrupts.Count() > 0 {
			return op, err
		}
		added, err := d.Recovery.searchAgain(ctx, providers)
		if err != nil {
			d.Stack.Say("%s", err)
		}
		if !added {
			return op, nil
		}
		before = op
	}
}

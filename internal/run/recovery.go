package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Recovery settles what an earlier run left unfinished.
type Recovery struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
	Gates      *life.Gates
	// settled is true if this run has settled what earlier ones left.
	settled bool
}

// copies are the copies of a stack's state, with the journal that has what they lack.
type copies struct {
	recovery.Backup
	journal recovery.Journal
}

// Copies implements workspace.Session.Copies.
func Copies(file state.File, workDir string) workspace.Copies {
	return copies{recovery.NewBackup(file, workDir), recovery.NewJournal(workDir)}
}

// Restore implements workspace.Copies.
func (c copies) Restore(force bool, report func(report.Event)) error {
	return c.Backup.Restore(c.journal, force, report)
}

// Keep implements restore.Unfinished.
func (r *Recovery) Keep(d *state.Deployment) error {
	return recovery.NewJournal(r.Stack.WorkDir).Keep(d)
}

// Recover settles what an earlier run left unfinished when it, the engine or a provider was killed. It changes nothing
// in AWS. ids are those that the user has decided for where there are several candidates.
func (r *Recovery) Recover(ctx context.Context, ids ...string) ([]takeover.Found, error) {
	release, err := r.Stack.Exclude()
	if err != nil {
		return nil, err
	}
	defer release()
	if err := r.Stack.ReleaseDead(); err != nil {
		return nil, err
	}
	// Creations of an update in progress are not interrupted.
	if lock, err := r.Stack.Lock(); err != nil || lock != nil {
		return nil, errors.Join(err, workspace.LockedBy(r.Stack.Name, lock))
	}
	if err := r.Unseen(); err != nil {
		return nil, err
	}
	if err := r.Stack.Providers.Attach(); err != nil {
		return nil, err
	}
	found, err := recovery.Recover(ctx, r.recovered(ctx), r.Stack.State, recovery.NewJournal(r.Stack.WorkDir),
		recovery.Options{
			IDs:    ids,
			Report: r.Stack.Session.Report,
		})
	if err != nil {
		return found, searched(r.Stack.Name, err)
	}
	r.settled = true
	return found, r.Gates.ProtectInterrupted(ctx)
}

// stillSettled fails if another run was interrupted after this one had settled what earlier ones left, and planned:
// what that run created is in no plan.
func (r *Recovery) stillSettled() error {
	open, err := recovery.NewJournal(r.Stack.WorkDir).Open()
	if err != nil || !open || !r.settled {
		return err
	}
	return &failure.Error{
		Reason:  failure.Conflict,
		Problem: fmt.Sprintf("another run on stack %s was interrupted after this one had made its plan; this one changed nothing", r.Stack.Name),
		Remedy:  "run the command again: it finds what was in progress",
	}
}

// Candidates returns the IDs that the user may decide for, and changes nothing.
func (r *Recovery) Candidates(ctx context.Context) ([]string, error) {
	if err := r.Stack.Providers.Attach(); err != nil {
		return nil, err
	}
	if err := r.Stack.CurrentState(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := binding.Within(ctx)
	defer cancel()
	_, err := recovery.Recover(ctx, r.recovered(ctx), r.Stack.State, recovery.NewJournal(r.Stack.WorkDir),
		recovery.Options{
			Search: true,
			Report: func(report.Event) {},
		})
	var ambiguous *takeover.AmbiguousError
	if !errors.As(err, &ambiguous) {
		return nil, searched(r.Stack.Name, err)
	}
	var ids []string
	for _, l := range ambiguous.Lookups {
		ids = append(ids, l.IDs...)
	}
	return ids, nil
}

// searchAgain searches for creations of earlier runs that were not found when this run began. It reports whether
// something was added to the state. providers are the providers of a stack that was destroyed.
func (r *Recovery) searchAgain(ctx context.Context, providers []*state.Resource) (bool, error) {
	found, err := recovery.SearchAgain(ctx, r.recovered(ctx), recovery.NewJournal(r.Stack.WorkDir), providers,
		recovery.Options{
			Report: r.Stack.Session.Report,
		})
	return slices.ContainsFunc(found, func(f takeover.Found) bool {
		return f.Outcome == takeover.Taken
	}), searched(r.Stack.Name, err)
}

// Object returns an object of the stack's management cluster.
func (r *Recovery) Object(ctx context.Context, kind, namespace, name string) (map[string]any, error) {
	return r.recovered(ctx).Object(ctx, kind, namespace, name)
}

// searched adds a remedy to a search's error.
func searched(stack string, err error) error {
	var ambiguous *takeover.AmbiguousError
	if errors.As(err, &ambiguous) {
		return &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("an earlier run of stack %s was stopped while creating resources, and AWS has resources that may be these; nothing was changed: %s",
				stack, ambiguous),
			Remedy: fmt.Sprintf("find out which was created for this stack, and run `hypershift-aws repair -s %s --take ID`, once per resource; "+
				"the others are not changed", stack),
			Cause: err,
		}
	}
	var search *recovery.SearchError
	if errors.As(err, &search) && failure.ReasonOf(err) == failure.Failed {
		return &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("searching for resources that an earlier run of stack %s created: %s", stack, err),
			Remedy: "correct that and run the command again; or `hypershift-aws refresh --forget-pending -s " + stack +
				"`, which does not search: what exists then stays in AWS without a state",
			Cause: search.Unwrap(),
		}
	}
	return err
}

// Unfinished reports whether an earlier run was interrupted and is not recovered yet, or has creations that are still
// searched for after their recovery. It releases the lock of that run if it is proved to have ended.
func (r *Recovery) Unfinished(ctx context.Context) (interrupted, searching bool, err error) {
	if err := r.Stack.ReleaseDead(); err != nil {
		return false, false, err
	}
	if interrupted, err = r.interrupted(ctx); err != nil || interrupted {
		return interrupted, false, err
	}
	searching, err = recovery.NewJournal(r.Stack.WorkDir).Searching()
	return false, searching, err
}

// UnfinishedGate describes the gate of CheckFinished.
func UnfinishedGate() gates.Gate {
	return gates.Gate{
		Name: "unfinished",
		Refuses: "to forget the resources of a stack whose last run was interrupted: what that run created may be " +
			"missing in the state",
		WayOn:      "`repair`, or `refresh --forget-pending` for what was not created",
		Operations: []gates.Operation{gates.Forget},
		Cost:       gates.CostFree,
	}
}

// CheckFinished refuses an operation that neither recovers nor keeps what an earlier run left unfinished.
func (r *Recovery) CheckFinished(ctx context.Context) error {
	interrupted, searching, err := r.Unfinished(ctx)
	if err != nil || !interrupted && !searching {
		return err
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: "an earlier run of stack " + r.Stack.Name +
			" was interrupted: resources that it created may be missing in the " +
			"state; nothing was changed",
		Remedy: "run `hypershift-aws repair -s " + r.Stack.Name +
			"` first. For an hour, it searches again for what it does not " +
			"find; if you know that this was not created, run `hypershift-aws refresh --forget-pending -s " + r.Stack.Name +
			"`, which ends the search",
	}
}

// Interrupted reports whether an earlier run was interrupted and is not recovered yet. It changes nothing, and is false
// while an update may be running.
func (r *Recovery) Interrupted(ctx context.Context) (bool, error) {
	if lock, err := r.Stack.Lock(); lock != nil || err != nil {
		return false, err
	}
	interrupted, err := r.interrupted(ctx)
	return interrupted && r.Unseen() == nil, err
}

func (r *Recovery) interrupted(ctx context.Context) (bool, error) {
	if err := r.Stack.CurrentState(ctx); err != nil {
		return false, err
	}
	if len(r.Stack.State.Pending) > 0 {
		return true, nil
	}
	return recovery.NewJournal(r.Stack.WorkDir).Open()
}

// quiet is how long an engine may work without writing the state: the deletion of a HostedCluster, the longest
// operation, takes up to an hour.
const quiet = 65 * time.Minute

// Unseen refuses a recovery that may disturb an update whose lock the backend does not show: an engine of this folder
// runs, or the state has young pending operations of another machine.
func (r *Recovery) Unseen() error {
	if r.Stack.ShowsLocks() || r.Stack.Session.RunEngine != nil {
		return nil
	}
	engines, err := state.NewProcesses(r.Stack.WorkDir).Read()
	if err != nil {
		return err
	}
	for _, one := range engines {
		if one.Runs() {
			return workspace.Locked(r.Stack.Name, fmt.Sprintf("process %d of this machine", one.PID), nil)
		}
	}
	now := time.Now()
	if may, err := mayRun(r.Stack.State, recovery.NewJournal(r.Stack.WorkDir), now); err != nil || !may {
		return err
	}
	e := workspace.Locked(r.Stack.Name, "", nil)
	e.Problem = fmt.Sprintf("stack %s has operations in progress that this machine did not begin, written %s ago: another update may be running",
		r.Stack.Name, now.Sub(r.Stack.State.Written()).Round(time.Second))
	return e
}

// mayRun reports whether an update of another machine may be running: the state has young pending operations that are
// not the journal's, and whose lock the user has not released.
func mayRun(d *state.Deployment, journal recovery.Journal, now time.Time) (bool, error) {
	if len(d.Pending) == 0 || now.Sub(d.Written()) > quiet {
		return false, nil
	}
	ours, err := journal.Covers(d)
	return err == nil && !ours, err
}

// recovered is a stack for its recovery.
type recovered struct {
	stack      *workspace.Stack
	connection *binding.Connection
	// accounts opens the accounts of the providers in the state.
	accounts func(settings map[string]any, provider string) (account.Account, error)
	// states returns the backend's other states, which it reads once.
	states func() ([]state.OfStack, error)
}

func (r *Recovery) recovered(ctx context.Context) recovered {
	return recovered{
		stack: r.Stack, connection: r.Connection, accounts: r.Stack.Providers.Current(ctx),
		states: sync.OnceValues(func() ([]state.OfStack, error) { return r.Stack.Session.OtherStates(ctx, r.Stack.Name) }),
	}
}

var _ recovery.Stack = recovered{}

// State implements recovery.Stack.
func (r recovered) State(ctx context.Context) (*state.Deployment, error) {
	err := r.stack.ReadState(ctx)
	return r.stack.State, err
}

// Import implements recovery.Stack.
func (r recovered) Import(ctx context.Context, d *state.Deployment) error {
	return r.stack.Import(ctx, d)
}

// Read implements recovery.Stack.
func (r recovered) Read(ctx context.Context, urns []string) error {
	// The engine fails on an unknown target.
	targets := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(urns))), func(u string) bool {
		return !urn.URN(u).IsValid()
	})
	if err := r.stack.Providers.Attach(); err != nil {
		return err
	}
	r.stack.StateChanged()
	if _, err := r.stack.Auto.Refresh(ctx, optrefresh.Target(targets), optrefresh.SuppressProgress(),
		optrefresh.SuppressOutputs()); err != nil {
		return r.stack.Classify(err)
	}
	return nil
}

// Elsewhere implements recovery.Stack.
func (r recovered) Elsewhere(
	ctx context.Context,
	place inventory.Place,
) (func(token, id string) bool, []string, error) {
	others, err := r.states()
	held, unread := map[state.Managed]bool{}, []string(nil)
	for _, other := range others {
		if other.Err != nil {
			unread = append(unread, other.Stack)
			continue
		}
		for _, one := range state.ManagedIn(other.Deployment, map[string]bool{place.Account: true}) {
			held[one] = true
		}
	}
	return func(token, id string) bool { return held[state.Managed{Type: token, ID: id}] }, unread, err
}

// Account implements recovery.Stack.
func (r recovered) Account(_ context.Context, settings map[string]any, provider string) (account.Account, error) {
	return r.accounts(settings, provider)
}

// Object implements recovery.Stack.
func (r recovered) Object(ctx context.Context, kind, namespace, name string) (object map[string]any, err error) {
	err = r.connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) (err error) {
		object, err = api.Get(ctx, kind, namespace, name)
		return err
	})
	return object, err
}

package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/discovery/adopt"
	"github.com/hypershift-aws/hypershift-aws/internal/discovery/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Recover settles what an earlier run left unfinished when it, the engine or a provider was killed. It changes nothing in AWS. take are the
// IDs that the user has decided for where there are several candidates.
func (s *Stack) Recover(ctx context.Context, take ...string) ([]recovery.Found, error) {
	release, err := s.exclude()
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.releaseDead(); err != nil {
		return nil, err
	}
	// Creations of an update in progress are not interrupted.
	if lock, err := s.held(); err != nil || lock != nil {
		return nil, errors.Join(err, s.lockedBy(lock))
	}
	if err := s.unseen(); err != nil {
		return nil, err
	}
	if err := s.attach(); err != nil {
		return nil, err
	}
	found, err := recovery.Recover(ctx, s.recovered(ctx), s.state, s.journal(), recovery.Options{Take: take, Report: s.session.Report})
	if err != nil {
		return found, s.searched(err)
	}
	s.settled = true
	return found, s.protectInterrupted(ctx)
}

// exclude keeps other processes of this machine from settling or changing the stack until release is called or this process ends. A backend
// locks a stack only while an engine changes it, and some do not show their locks; the journal in the stack's folder is that of one run.
func (s *Stack) exclude() (release func(), err error) {
	lock, err := atomicfile.Lock(filepath.Join(s.workDir, "lock"))
	if errors.Is(err, atomicfile.ErrLocked) {
		if held, _ := s.held(); held != nil {
			return nil, s.lockedBy(held)
		}
		e := s.locked("", err)
		e.Problem, e.Remedy = "stack "+s.Name+" is locked by another process of this machine", "wait for it to end"
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// stillSettled fails if another run was interrupted after this one had settled what earlier ones left, and planned: what that run created is in
// no plan.
func (s *Stack) stillSettled() error {
	open, err := s.journal().Open()
	if err != nil || !open || !s.settled {
		return err
	}
	return &failure.Error{
		Reason:  failure.Conflict,
		Problem: fmt.Sprintf("another run on stack %s was interrupted after this one had made its plan; this one changed nothing", s.Name),
		Remedy:  "run the command again: it finds what was in progress",
	}
}

// Candidates returns the IDs that the user may decide for, and changes nothing.
func (s *Stack) Candidates(ctx context.Context) ([]string, error) {
	if err := s.attach(); err != nil {
		return nil, err
	}
	if err := s.currentState(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	_, err := recovery.Recover(ctx, s.recovered(ctx), s.state, s.journal(), recovery.Options{Search: true, Report: func(report.Event) {}})
	var ambiguous *recovery.Ambiguous
	if !errors.As(err, &ambiguous) {
		return nil, s.searched(err)
	}
	var ids []string
	for _, l := range ambiguous.Lookups {
		ids = append(ids, l.IDs...)
	}
	return ids, nil
}

// searchAgain searches for creations of earlier runs that were not found when this run began. It reports whether something was added to the
// state. Providers are those of a stack that was destroyed.
func (s *Stack) searchAgain(ctx context.Context, providers []*state.Resource) (bool, error) {
	found, err := recovery.SearchAgain(ctx, s.recovered(ctx), s.journal(), providers, recovery.Options{Report: s.session.Report})
	return slices.ContainsFunc(found, func(f recovery.Found) bool { return f.Outcome == recovery.Taken }), s.searched(err)
}

// searched adds a remedy to a search's error.
func (s *Stack) searched(err error) error {
	var ambiguous *recovery.Ambiguous
	if errors.As(err, &ambiguous) {
		return &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("an earlier run of stack %s was stopped while creating resources, and AWS has what may be them; nothing was changed: %s",
				s.Name, ambiguous),
			Remedy: fmt.Sprintf("find out which was created for this stack, and run `hypershift-aws recover -s %s --take ID`, once per resource; "+
				"the others are not changed", s.Name),
			Cause: err,
		}
	}
	var search *recovery.SearchError
	if errors.As(err, &search) && failure.ReasonOf(err) == failure.Failed {
		return &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("searching for resources that an earlier run of stack %s created: %s", s.Name, err),
			Remedy: "correct that and run the command again; or `hypershift-aws refresh --forget-pending -s " + s.Name +
				"`, which does not search: what exists then stays in AWS without a state",
			Cause: search.Unwrap(),
		}
	}
	return err
}

// Unfinished reports whether an earlier run left something to recover. It releases the lock of that run if it is proved to have ended.
func (s *Stack) Unfinished(ctx context.Context) (bool, error) {
	if err := s.releaseDead(); err != nil {
		return false, err
	}
	if err := s.currentState(ctx); err != nil {
		return false, err
	}
	if len(s.state.Pending) > 0 {
		return true, nil
	}
	return s.journal().Unfinished()
}

// releaseDead releases the locks of engines of this stack's folder that are proved to have ended. It does not release others: whether a
// process of another machine or container runs cannot be decided here.
func (s *Stack) releaseDead() error {
	locks, err := s.Locks()
	if err != nil {
		return err
	}
	for _, lock := range locks {
		if !lock.Dead {
			continue
		}
		if err := lock.Release(); err != nil {
			return err
		}
		s.say("released the lock of an interrupted run on this machine (%s)", lock)
	}
	return nil
}

// held returns the lock of an update that is or may be in progress, nil if there is none.
func (s *Stack) held() (*state.Lock, error) {
	locks, err := s.Locks()
	for _, lock := range locks {
		if !lock.Dead {
			return &lock, err
		}
	}
	return nil, err
}

// quiet is how long an engine may work without writing the state: the deletion of a HostedCluster, the longest operation, takes up to an hour.
const quiet = 65 * time.Minute

// unseen refuses a recovery that may disturb an update whose lock the backend does not show: an engine of this folder runs, or the state has
// young pending operations of another machine.
func (s *Stack) unseen() error {
	if s.ShowsLocks() || s.session.RunEngine != nil {
		return nil
	}
	engines, err := s.engines().Read()
	if err != nil {
		return err
	}
	for _, one := range engines {
		if one.Runs() {
			return s.locked(fmt.Sprintf("process %d of this machine", one.PID), nil)
		}
	}
	now := time.Now()
	if may, err := mayRun(s.state, s.journal(), now); err != nil || !may {
		return err
	}
	e := s.locked("", nil)
	e.Problem = fmt.Sprintf("stack %s has operations in progress that this machine did not begin, written %s ago: another update may be running",
		s.Name, now.Sub(s.state.Written()).Round(time.Second))
	return e
}

// mayRun reports whether an update of another machine may be running: the state has young pending operations that are not the journal's, and
// whose lock the user has not released.
func mayRun(d *state.Deployment, journal recovery.Journal, now time.Time) (bool, error) {
	if len(d.Pending) == 0 || now.Sub(d.Written()) > quiet {
		return false, nil
	}
	ours, err := journal.Covers(d)
	return err == nil && !ours, err
}

// recovered is a stack for its recovery.
type recovered struct {
	stack *Stack
	// config returns the stack's config, which it reads once.
	config func() (auto.ConfigMap, error)
	// states returns the backend's other states, which it reads once.
	states func() ([]state.OfStack, error)
}

func (s *Stack) recovered(ctx context.Context) recovered {
	return recovered{stack: s, config: sync.OnceValues(func() (auto.ConfigMap, error) {
		values, err := s.auto.GetAllConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the config of stack %s: %w", s.Name, s.classify(err))
		}
		return values, nil
	}), states: sync.OnceValues(func() ([]state.OfStack, error) { return s.session.otherStates(ctx, s.Name) })}
}

var _ recovery.Stack = recovered{}

// State implements recovery.Stack.
func (r recovered) State(ctx context.Context) (*state.Deployment, error) {
	err := r.stack.readState(ctx)
	return r.stack.state, err
}

// Import implements recovery.Stack. It is the only way in which this program writes a state: the engine locks the state during the import
// alone, and compares nothing, so the state is read again and compared first.
func (r recovered) Import(ctx context.Context, d *state.Deployment) error {
	d, err := d.Copy() // settings that are decrypted for the import must not reach the journal
	if err != nil {
		return err
	}
	for _, res := range d.Resources {
		if !isOwnProvider(string(res.URN)) {
			continue
		}
		config, err := r.config()
		if err != nil {
			return err
		}
		for field, settings := range map[string]map[string]any{"inputs": res.Inputs, "outputs": res.Outputs} {
			if settings == nil {
				continue
			}
			if err := res.Set(field, renewed(settings, config, awsconfig.Secret)); err != nil {
				return err
			}
		}
	}
	if err := r.stack.unchanged(ctx, d); err != nil {
		return err
	}
	untyped, err := d.Encode()
	if err != nil {
		return err
	}
	text, err := json.Marshal(untyped)
	if err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	r.stack.stateChanged()
	// The Automation API's Import would write the decrypted settings to a file, which a kill leaves behind.
	if _, err := r.stack.runWith(ctx, r.stack.command, bytes.NewReader(text), "stack", "import", "--stack", r.stack.Name); err != nil {
		return r.stack.classify(err)
	}
	return nil
}

// rewrite changes a copy of the state, and imports it. With keep, a copy of the state before is kept as before an operation of the engine.
func (s *Stack) rewrite(ctx context.Context, keep bool, change func(*state.Deployment) error) error {
	if keep {
		if _, err := s.backup().Keep(); err != nil {
			return err
		}
	}
	d, err := s.state.Copy()
	if err != nil {
		return err
	}
	if err := change(d); err != nil {
		return err
	}
	return s.recovered(ctx).Import(ctx, d)
}

// unchanged fails if the state in the backend is not the one that d was read from.
func (s *Stack) unchanged(ctx context.Context, d *state.Deployment) error {
	lock, err := s.held()
	if err != nil || lock != nil {
		return errors.Join(err, s.lockedBy(lock))
	}
	now, err := s.storedState(ctx)
	if err != nil {
		return s.classify(err)
	}
	same, err := d.SameRead(now)
	if err != nil || same {
		return err
	}
	return &failure.Error{
		Reason: failure.Conflict,
		Problem: fmt.Sprintf("the state of stack %s was changed by another run at %s, after this one had read it; it was not written", s.Name,
			now.Written().UTC().Format(time.RFC3339)),
		Remedy: "run the command again",
	}
}

// Read implements recovery.Stack.
func (r recovered) Read(ctx context.Context, urns []string) error {
	// The engine fails on an unknown target.
	targets := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(urns))), func(u string) bool { return !urn.URN(u).IsValid() })
	if err := r.stack.attach(); err != nil {
		return err
	}
	r.stack.stateChanged()
	if _, err := r.stack.auto.Refresh(ctx, optrefresh.Target(targets), optrefresh.SuppressProgress(), optrefresh.SuppressOutputs()); err != nil {
		return r.stack.classify(err)
	}
	return nil
}

// Elsewhere implements recovery.Stack.
func (r recovered) Elsewhere(ctx context.Context, place account.Place) (func(token, id string) bool, []string, error) {
	others, err := r.states()
	held, unread := map[adopt.Held]bool{}, []string(nil)
	for _, other := range others {
		if other.Err != nil {
			unread = append(unread, other.Stack)
			continue
		}
		for _, one := range adopt.HeldIn(other.Deployment, map[string]bool{place.Account: true}) {
			held[one] = true
		}
	}
	return func(token, id string) bool { return held[adopt.Held{Type: token, ID: id}] }, unread, err
}

// Account implements recovery.Stack.
func (r recovered) Account(ctx context.Context, settings map[string]any, provider string) (account.Account, error) {
	if err := r.stack.attach(); err != nil {
		return nil, err
	}
	if isOwnProvider(provider) {
		config, err := r.config()
		if err != nil {
			return nil, err
		}
		settings = renewed(settings, config, func(value string) any { return value })
	}
	return r.stack.awsAccount(ctx, settings, provider)
}

// Object implements recovery.Stack.
func (r recovered) Object(ctx context.Context, kind, namespace, name string) (object map[string]any, err error) {
	err = r.stack.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) (err error) {
		object, err = api.Get(ctx, kind, namespace, name)
		return err
	})
	return object, err
}

package automation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// Recover settles what an earlier run left unfinished when it, the engine or a provider was killed.
func (s *Stack) Recover(ctx context.Context) error {
	if err := s.releaseDead(); err != nil {
		return err
	}
	// Creations of an update in progress are not interrupted.
	if lock, err := s.held(); err != nil || lock != nil {
		return errors.Join(err, s.lockedBy(lock))
	}
	if err := s.attachOffline(); err != nil {
		return err
	}
	return s.searched(recovery.Recover(ctx, s.recovered(ctx), s.state, s.journal(), s.session.Report))
}

// searchAgain searches for creations of earlier runs that were not found when this run began. It does nothing for a destroyed stack.
func (s *Stack) searchAgain(ctx context.Context, destroyed bool) error {
	return s.searched(recovery.SearchAgain(ctx, s.recovered(ctx), s.journal(), destroyed, s.session.Report))
}

// searched adds a remedy to a search's error.
func (s *Stack) searched(err error) error {
	var search *recovery.SearchError
	if errors.As(err, &search) {
		return &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("searching for resources that an earlier run of stack %s created: %s", s.Name, err),
			Remedy: "correct that and run the command again; or `hypershift-aws refresh --forget-pending -s " + s.Name +
				"`, which does not search, and delete manually what exists",
			Cause: search.Unwrap(),
		}
	}
	return err
}

// releaseDead releases the lock of a run of this user on this machine whose process no longer exists. It does not
// release other locks: the state of processes on another machine is unknown.
func (s *Stack) releaseDead() error {
	locks, err := s.Locks()
	if err != nil {
		return err
	}
	for _, lock := range locks {
		if !lock.Own || lock.Alive {
			continue
		}
		if err := lock.Release(); err != nil {
			return err
		}
		s.session.Report(&report.NoteEvent{Message: fmt.Sprintf("released the lock of an interrupted run on this machine (%s)", lock)})
	}
	return nil
}

// held returns the lock of an update that is or may be in progress, nil if there is none.
func (s *Stack) held() (*state.Lock, error) {
	locks, err := s.Locks()
	for _, lock := range locks {
		if lock.Alive || !lock.Own {
			return &lock, err
		}
	}
	return nil, err
}

// recovered is a stack for its recovery.
type recovered struct {
	stack *Stack
	// config returns the stack's config, which it reads once.
	config func() (auto.ConfigMap, error)
}

func (s *Stack) recovered(ctx context.Context) recovered {
	return recovered{s, sync.OnceValues(func() (auto.ConfigMap, error) {
		values, err := s.auto.GetAllConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the config of stack %s: %w", s.Name, s.classify(err))
		}
		return values, nil
	})}
}

var _ recovery.Stack = recovered{}

// State implements recovery.Stack.
func (r recovered) State(ctx context.Context) (*state.Deployment, error) {
	err := r.stack.readState(ctx)
	return r.stack.state, err
}

// Import implements recovery.Stack.
func (r recovered) Import(ctx context.Context, d *state.Deployment) error {
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
	untyped, err := d.Encode()
	if err != nil {
		return err
	}
	r.stack.stateChanged()
	if err := r.stack.auto.Import(ctx, untyped); err != nil {
		return r.stack.classify(err)
	}
	return nil
}

// Read implements recovery.Stack.
func (r recovered) Read(ctx context.Context, urns []string) error {
	// The engine fails on an unknown target.
	targets := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(urns))), func(u string) bool { return !urn.URN(u).IsValid() })
	if err := r.stack.attachOffline(); err != nil {
		return err
	}
	r.stack.stateChanged()
	if _, err := r.stack.auto.Refresh(ctx, optrefresh.Target(targets), optrefresh.SuppressProgress(), optrefresh.SuppressOutputs()); err != nil {
		return r.stack.classify(err)
	}
	return nil
}

// Delete implements recovery.Stack.
func (r recovered) Delete(ctx context.Context, urns []string) error {
	r.stack.stateChanged()
	if _, err := r.stack.auto.Destroy(ctx, optdestroy.Target(urns), optdestroy.SuppressProgress(), optdestroy.SuppressOutputs()); err != nil {
		return r.stack.classify(err)
	}
	return nil
}

// Account implements recovery.Stack.
func (r recovered) Account(ctx context.Context, settings map[string]any, provider string) (orphan.Account, error) {
	if err := r.stack.attachOffline(); err != nil {
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
func (r recovered) Object(ctx context.Context, kind, namespace, name string) (map[string]any, error) {
	api, err := r.stack.openManagementCluster()
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return api.Get(ctx, kind, namespace, name)
}

package automation

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/internal/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// SweepScope is where a sweep searches. It must be closed.
type SweepScope struct {
	sweep.Scope
	stack *Stack
}

// SweepOptions configure where to search.
type SweepOptions struct {
	// Stack is a stack's name and File its file, which may be nil; "" for the environment's account.
	Stack string
	File  *config.File
	// Region and Profile are for the environment's account, "" for the environment's values.
	Region, Profile string
	// Kubeconfigs are management clusters in addition to those of the stacks' files.
	Kubeconfigs []config.Kubeconfig
}

// OpenSweep finds the accounts of a sweep.
func (s *Session) OpenSweep(ctx context.Context, o SweepOptions) (*SweepScope, error) {
	stack := s.stack(o.Stack, o.File)
	if err := stack.attachOffline(); err != nil {
		return nil, err
	}
	scope := &SweepScope{stack.sweepScope(), stack}
	scope.Kubeconfigs = o.Kubeconfigs
	if o.Stack != "" {
		if err := scope.AddStack(ctx, o.Stack, o.File); err != nil {
			scope.Close()
			return nil, err
		}
		return scope, nil
	}
	settings := map[string]any{}
	if o.Region != "" {
		settings["region"] = o.Region
	}
	if o.Profile != "" {
		settings["profile"] = o.Profile
	}
	return scope, scope.AddAccounts([]map[string]any{settings})
}

// Close releases the resources of the sweep.
func (c *SweepScope) Close() { c.stack.Close() }

// Busy returns the holder of the lock on the scope's stack, or "" if the stack is not known to be locked.
func (c *SweepScope) Busy() string {
	if c.stack.Name == "" {
		return ""
	}
	locks, err := c.stack.Locks()
	if err != nil || len(locks) == 0 {
		return ""
	}
	return fmt.Sprint(locks[0])
}

// sweepScope returns a scope without accounts. Offline, the stack must be attached.
func (s *Stack) sweepScope() sweep.Scope {
	dir := s.session.Project.OwnDir()
	if s.session.Offline {
		dir = s.session.Project.OfflineDir()
	}
	return sweep.Scope{Journals: filepath.Join(dir, "sweep"), Project: sweptProject{s}}
}

// sweptProject is the project of a stack for a sweep.
type sweptProject struct{ stack *Stack }

var _ sweep.Project = sweptProject{}

// States implements sweep.Project.
func (p sweptProject) States(ctx context.Context) ([]string, error) {
	return p.stack.session.allStates(ctx)
}

// State implements sweep.Project.
func (p sweptProject) State(ctx context.Context, name string) (*state.Deployment, error) {
	return p.stack.session.stateOf(ctx, name)
}

// Files implements sweep.Project.
func (p sweptProject) Files() []*config.File {
	var files []*config.File
	for _, name := range p.stack.session.Project.Stacks() {
		if file, err := p.stack.session.Project.LoadStack(name); err == nil && file != nil {
			files = append(files, file)
		}
	}
	return files
}

// Account implements sweep.Project.
func (p sweptProject) Account(settings map[string]any) orphan.Sweepable {
	if !p.stack.session.Offline {
		return orphan.NewSweepable(settings)
	}
	if settings["region"] == nil {
		settings["region"] = "us-east-1"
	}
	return inmemory.NewAccount(p.stack.account, settings)
}

// Infrastructures implements sweep.Project.
func (p sweptProject) Infrastructures(ctx context.Context, k config.Kubeconfig) (map[string]string, error) {
	api, err := p.stack.session.openCluster(k)
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	return api.Infrastructures(ctx)
}

// Offline implements sweep.Project.
func (p sweptProject) Offline() bool { return p.stack.session.Offline }

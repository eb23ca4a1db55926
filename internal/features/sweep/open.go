package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// StackScope is where a sweep searches. It must be closed.
type StackScope struct {
	Scope
	stack *workspace.Stack
	// others are the project's stacks whose accounts are searched, if it is for no stack in particular.
	others []*workspace.Stack
}

// OpenScope finds the accounts of a sweep: a stack's accounts, where its file may be nil, or for the name "" the
// account of a provider's settings or, for nil, those of all stacks of the project. The kubeconfigs are management
// clusters in addition to those of the stacks' files.
func OpenScope(
	ctx context.Context, s *workspace.Session, name string, file *config.File, settings map[string]any,
	kubeconfigs []config.Kubeconfig,
) (*StackScope, error) {
	stack := s.Stack(name, file)
	scope := &StackScope{Scope: scopeOf(stack), stack: stack}
	scope.Kubeconfigs = kubeconfigs
	var err error
	switch {
	case name == "" && settings == nil:
		err = scope.addProject(ctx, s)
	case name == "":
		err = scope.AddAccounts(ctx, []Provider{{Settings: settings}})
	default:
		if scope.InfraID, err = hostedInfraID(ctx, stack); err == nil {
			err = scope.AddStack(ctx, name, file)
		}
	}
	if err != nil {
		scope.Close()
		return nil, err
	}
	return scope, nil
}

// addProject adds the accounts of the project's stacks. Each stack opens its own: its providers may have secrets. A
// project without stacks has the environment's.
func (c *StackScope) addProject(ctx context.Context, s *workspace.Session) error {
	stacks, err := s.List(ctx)
	if err != nil {
		return err
	}
	seen := map[inventory.Place]bool{}
	for _, one := range stacks {
		file, err := s.Project.LoadStack(one.Name)
		if err != nil {
			if one.HasFile {
				c.Unusable = append(c.Unusable, fmt.Errorf("the accounts of stack %s: %w", one.Name, err))
			}
			file = nil
		}
		stack := s.Stack(one.Name, file)
		c.others = append(c.others, stack)
		deployment, err := s.StateOf(ctx, one.Name)
		if err != nil {
			return err
		}
		own := scopeOf(stack)
		if err := own.AddAccounts(ctx, providersOf(one.Name, file, deployment)); err != nil {
			c.Unusable = append(c.Unusable, err)
			continue
		}
		c.Unusable = append(c.Unusable, own.Unusable...)
		for _, aws := range own.Accounts {
			place, err := aws.Place(ctx)
			if err != nil {
				return err
			}
			if !seen[place] {
				seen[place] = true
				c.Accounts = append(c.Accounts, aws)
			}
		}
	}
	switch {
	case len(c.Accounts) > 0:
		return nil
	case len(c.Unusable) > 0:
		return errors.Join(c.Unusable...)
	}
	return c.AddAccounts(ctx, []Provider{{Settings: map[string]any{}}})
}

// hostedInfraID returns the infra ID of the stack's hosted cluster, "" for none. The stack may have no state.
func hostedInfraID(ctx context.Context, s *workspace.Stack) (string, error) {
	found, err := s.Session.StateOf(ctx, s.Name)
	if err != nil {
		return "", err
	}
	if s.State, s.StateRead = found, true; found == nil {
		s.State = &state.Deployment{}
	}
	if err := binding.Compare(s.File, s.State); err != nil {
		return "", err
	}
	d, err := binding.FindDependent(ctx, s)
	if d.Kind != crd.HostedCluster {
		return "", err
	}
	return d.InfraID, err
}

// Gates are the gates that keep resources.
func (c *StackScope) Gates() gate.List { return c.stack.Session.Gates }

// AddUse keeps the use of a flag before it takes effect, as it does for a stack.
func (c *StackScope) AddUse(u workspace.Use) error { return c.stack.AddUse(u) }

// Close releases the resources of the sweep.
func (c *StackScope) Close() {
	c.stack.Close()
	for _, other := range c.others {
		other.Close()
	}
}

// Busy returns the holder of the lock on the scope's stack, or "" if the stack is not known to be locked.
func (c *StackScope) Busy() string {
	if c.stack.Name == "" {
		return ""
	}
	locks, err := c.stack.Locks()
	if err != nil || len(locks) == 0 {
		return ""
	}
	return fmt.Sprint(locks[0])
}

// scopeOf returns a scope without accounts.
func scopeOf(s *workspace.Stack) Scope {
	return Scope{
		Journals: filepath.Join(s.Session.Environment.Folder(), "sweep"),
		Pause:    s.Session.Environment.Timing().Wait,
		Say:      s.Say,
		Project:  sweptProject{s},
	}
}

// sweptProject is the project of a stack for a sweep.
type sweptProject struct{ stack *workspace.Stack }

var _ Project = sweptProject{}

// EachState implements Project.
func (p sweptProject) EachState(ctx context.Context, each func(state.OfStack)) error {
	return p.stack.Session.EachState(ctx, "", each)
}

// State implements Project.
func (p sweptProject) State(ctx context.Context, name string) (*state.Deployment, error) {
	return p.stack.Session.StateOf(ctx, name)
}

// Files implements Project.
func (p sweptProject) Files() (files []*config.File, unread []error) {
	p.stack.Session.EachFile("", func(name string, file *config.File, err error) {
		switch {
		case err != nil:
			unread = append(unread, fmt.Errorf("the file of stack %s: %w", name, err))
		case file != nil:
			files = append(files, file)
		}
	})
	return files, unread
}

// ReadFile implements Project.
func (p sweptProject) ReadFile(stack string) ([]byte, error) {
	return p.stack.Session.Project.ReadStackFile(stack)
}

// Account implements Project.
func (p sweptProject) Account(ctx context.Context, provider Provider) (account.Account, error) {
	return p.stack.Providers.Swept(ctx, provider.Settings, provider.Reference)
}

// ManagementCluster implements Project.
func (p sweptProject) ManagementCluster(
	ctx context.Context,
	k config.Kubeconfig,
) (uid string, alive map[string]string, err error) {
	api, err := p.stack.Session.Environment.OpenCluster(k)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = api.Close() }()
	if uid, err = binding.ClusterUID(ctx, p.stack.Session, api); err != nil {
		return "", nil, err
	}
	alive, err = api.Infrastructures(ctx)
	return uid, alive, err
}

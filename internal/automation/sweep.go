package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// SweepScope is where a sweep looks. Close it.
type SweepScope struct {
	// InfraID is that of the stack's cluster, "" without a stack.
	InfraID string
	// Accounts are the accounts and regions that the stack's file and state lead to, or those of the environment.
	Accounts []orphan.Sweepable
	// Journals is the folder of the journals.
	Journals string

	session *Session
	// stack and file are nil without a stack.
	stack *Stack
	file  *config.File
	// kubeconfigs are given on the command line.
	kubeconfigs []config.Kubeconfig
}

// SweepOptions say where to look.
type SweepOptions struct {
	// Stack is a stack's name and File its file, which may be nil; "" for the environment's account.
	Stack string
	File  *config.File
	// Region and Profile are for the environment's account, "" for what the environment says.
	Region, Profile string
	// Kubeconfigs lead to management clusters beside those of the stacks' files.
	Kubeconfigs []config.Kubeconfig
}

// OpenSweep finds the accounts of a sweep.
func (s *Session) OpenSweep(ctx context.Context, o SweepOptions) (*SweepScope, error) {
	scope := &SweepScope{session: s, file: o.File, kubeconfigs: o.Kubeconfigs, Journals: s.sweepJournals()}
	settings := []map[string]any{{}}
	if o.Region != "" {
		settings[0]["region"] = o.Region
	}
	if o.Profile != "" {
		settings[0]["profile"] = o.Profile
	}
	scope.stack = s.stack(o.Stack, o.File)
	if o.Stack != "" {
		var err error
		if settings, err = scope.ofStack(ctx); err != nil {
			return nil, err
		}
	}
	if s.Offline {
		if err := scope.stack.attachOffline(); err != nil {
			return nil, err
		}
	}
	return scope, scope.addAccounts(settings)
}

// complete adds what the backend and the management clusters say.
func (c *SweepScope) complete(ctx context.Context, f *sweep.Facts) error {
	if err := c.addStates(ctx, f); err != nil {
		return err
	}
	f.Management = c.managementClusters(ctx)
	return nil
}

// sweepJournals is the folder of the journals.
func (s *Session) sweepJournals() string {
	if s.Offline {
		return filepath.Join(s.Project.OfflineDir(), "sweep")
	}
	return filepath.Join(s.Project.OwnDir(), "sweep")
}

// addAccounts adds the accounts that the settings of providers lead to.
func (c *SweepScope) addAccounts(settings []map[string]any) error {
	seen := map[string]bool{}
	for _, one := range settings {
		key, err := json.Marshal(one)
		if err != nil {
			return fmt.Errorf("reading the settings of an AWS provider: %w", err)
		}
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		if c.session.Offline {
			if one["region"] == nil {
				one["region"] = "us-east-1"
			}
			c.Accounts = append(c.Accounts, inmemory.NewAccount(c.stack.account, one))
			continue
		}
		c.Accounts = append(c.Accounts, orphan.NewSweepable(one))
	}
	return nil
}

// Close ends what the sweep needed.
func (c *SweepScope) Close() { c.stack.Close() }

// Facts searches an account, and adds what the backend and the management clusters say.
func (c *SweepScope) Facts(ctx context.Context, account orphan.Sweepable) (sweep.Facts, error) {
	f, err := sweep.Search(ctx, account, c.Journals, time.Now())
	if err != nil {
		return f, err
	}
	err = c.complete(ctx, &f)
	return f, err
}

// Busy says who is working on the scope's stack, "" where nobody is known to.
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

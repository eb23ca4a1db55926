package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Project is what a sweep needs of a project's stacks, and how it accesses their accounts and clusters.
type Project interface {
	// States are the names of all stacks of the backend: of this project plain, of others with the project.
	States(ctx context.Context) ([]string, error)
	// State reads the state of one of them, nil if there is none.
	State(ctx context.Context, name string) (*state.Deployment, error)
	// Files are the stacks' files that can be read.
	Files() []*config.File
	// Account is the account that a provider of those settings reaches.
	Account(settings map[string]any) orphan.Sweepable
	// Infrastructures are the clusters that the management cluster of a kubeconfig has, by their infra IDs.
	Infrastructures(ctx context.Context, k config.Kubeconfig) (map[string]string, error)
	// Offline is whether the accounts and management clusters are those in memory.
	Offline() bool
}

// Scope is where a sweep looks.
type Scope struct {
	// InfraID is that of the stack's cluster, "" without a stack.
	InfraID string
	// Accounts are the accounts and regions of the stack's file and state, or those of the environment.
	Accounts []orphan.Sweepable
	// Journals is the folder of the journals.
	Journals string
	// Project is the project that the sweep runs in.
	Project Project
	// Kubeconfigs are management clusters in addition to those of the stacks' files.
	Kubeconfigs []config.Kubeconfig

	// gone and there are what DNS names may point at of the accounts that were swept before: what they had, and what they have.
	gone, there []string
}

// AddAccounts adds the accounts of providers' settings.
func (c *Scope) AddAccounts(settings []map[string]any) error {
	seen := map[string]bool{}
	for _, one := range settings {
		key, err := json.Marshal(one)
		if err != nil {
			return fmt.Errorf("reading the settings of an AWS provider: %w", err)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			c.Accounts = append(c.Accounts, c.Project.Account(one))
		}
	}
	return nil
}

// Facts searches an account, and adds the facts from the backend and the management clusters.
func (c *Scope) Facts(ctx context.Context, account orphan.Sweepable) (Facts, error) {
	f, err := Search(ctx, account, c.Journals, time.Now(), Everything)
	if err != nil {
		return f, err
	}
	err = c.complete(ctx, &f)
	return f, err
}

// complete adds the facts from the backend and the management clusters.
func (c *Scope) complete(ctx context.Context, f *Facts) error {
	if err := c.addStates(ctx, f); err != nil {
		return err
	}
	f.Files = map[string]string{}
	for _, file := range c.Project.Files() {
		text, err := os.ReadFile(file.Path)
		if err != nil {
			return fmt.Errorf("reading what was given to stacks: %w", err)
		}
		f.Files[strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file.Path), "Pulumi."), ".yaml")] = string(text)
	}
	f.Management = c.managementClusters(ctx)
	return nil
}

// Naming returns what the files of the project's stacks say of the names of the scope's cluster.
func (c *Scope) Naming() Naming { return namingOf(c.Project.Files(), c.InfraID) }

// AddRecords adds the cluster's records to what was found in each of the scope's accounts. A record may point at what another account
// had; while that is there, the record stays.
func (c *Scope) AddRecords(ctx context.Context, found []Facts) {
	for i := range found {
		naming := c.Naming()
		for j := range found {
			if i != j {
				naming.Gone = append(naming.Gone, found[j].Before[c.InfraID].Hosts...)
				naming.There = append(naming.There, found[j].Hosts()...)
			}
		}
		found[i].AddRecords(ctx, c.Accounts[i], c.InfraID, naming)
	}
}

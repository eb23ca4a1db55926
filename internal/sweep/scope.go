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

// Project gives a sweep access to a project's stacks, and to their accounts and clusters.
type Project interface {
	// States returns the names of all stacks of the backend, those of other projects with the project's name.
	States(ctx context.Context) ([]string, error)
	// State returns the state of a stack, nil if there is none.
	State(ctx context.Context, name string) (*state.Deployment, error)
	// Files returns the stacks' files that can be read.
	Files() []*config.File
	// Account returns the account of a provider with those settings.
	Account(settings map[string]any) orphan.Sweepable
	// Infrastructures returns the clusters of a kubeconfig's management cluster, by their infra IDs.
	Infrastructures(ctx context.Context, k config.Kubeconfig) (map[string]string, error)
	// Offline reports whether the accounts and management clusters are those in memory.
	Offline() bool
}

// Scope is where a sweep searches.
type Scope struct {
	// InfraID is the infra ID of the stack's cluster, "" without a stack.
	InfraID string
	// Accounts are the accounts and regions of the stack's file and state, or those of the environment.
	Accounts []orphan.Sweepable
	// Journals is the folder of the journals.
	Journals string
	// Project is the project that the sweep runs in.
	Project Project
	// Kubeconfigs are management clusters in addition to those of the stacks' files.
	Kubeconfigs []config.Kubeconfig

	// formerHosts and currentHosts are the former and the current hosts of the accounts that have been swept already.
	formerHosts, currentHosts []string
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
			return fmt.Errorf("reading the file of a stack: %w", err)
		}
		f.Files[strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file.Path), "Pulumi."), ".yaml")] = string(text)
	}
	f.Management = c.managementClusters(ctx)
	return nil
}

// Naming returns the DNS names of the scope's cluster according to the files of the project's stacks.
func (c *Scope) Naming() Naming { return namingOf(c.Project.Files(), c.InfraID) }

// AddRecords adds the cluster's records to what was found in each of the scope's accounts. A record may point at a host of another account;
// it is not deleted while that host exists.
func (c *Scope) AddRecords(ctx context.Context, found []Facts) {
	for i := range found {
		naming := c.Naming()
		for j := range found {
			if i != j {
				naming.FormerHosts = append(naming.FormerHosts, found[j].Before[c.InfraID].Hosts...)
				naming.CurrentHosts = append(naming.CurrentHosts, found[j].Hosts()...)
			}
		}
		found[i].AddRecords(ctx, c.Accounts[i], c.InfraID, naming)
	}
}

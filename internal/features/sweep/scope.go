package sweep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Project gives a sweep access to a project's stacks, and to their accounts and clusters.
type Project interface {
	// EachState calls each with the state of each stack of the backend, including stacks of other projects.
	EachState(ctx context.Context, each func(state.OfStack)) error
	// State returns the state of a stack, nil if there is none.
	State(ctx context.Context, name string) (*state.Deployment, error)
	// Files returns the stacks' files, and an error for each file that cannot be read; ReadFile the text of one.
	Files() (files []*config.File, unread []error)
	ReadFile(stack string) ([]byte, error)
	// Account returns the account of a provider with those settings. Its secrets are decrypted.
	Account(ctx context.Context, provider Provider) (account.Account, error)
	// ManagementCluster returns the UID of a kubeconfig's management cluster, "" if it may not be read, and its clusters
	// by their infra IDs.
	ManagementCluster(ctx context.Context, k config.Kubeconfig) (uid string, alive map[string]string, err error)
}

// Provider is an AWS provider of a stack, in its state or its file.
type Provider struct {
	// Reference is the provider's reference in the state, "urn::id"; "" for a provider of the file.
	Reference string
	// Name is its name in messages, "" for the environment's.
	Name     string
	Settings map[string]any
}

// Scope is where a sweep searches.
type Scope struct {
	// InfraID is the infra ID of the cluster, "" if the sweep is for none in particular.
	InfraID string
	// NotOwn is true if the stack's state doesn't have the infra ID. Then only its file has it, which may name the cluster
	// of another stack.
	NotOwn bool
	// Accounts are the accounts and regions of the stack's file and state, or those of the environment.
	Accounts []account.Account
	// Journals is the folder of the journals.
	Journals string
	// Pause waits until AWS has had some time; it fails if the context ends.
	Pause func(ctx context.Context, d time.Duration) error
	// AskLong asks a management cluster that does not answer for a minute, because the user asserts that it no longer
	// exists. Say tells so.
	AskLong bool
	Say     func(format string, args ...any)
	// Project is the project that the sweep runs in.
	Project Project
	// Kubeconfigs are management clusters in addition to those of the stacks' files.
	Kubeconfigs []config.Kubeconfig

	// stack is the stack of the cluster, "" if it is not known.
	stack string
	// inStates are the kubeconfigs with which the project's stacks have applied objects, by the stacks' names.
	inStates map[string]config.Kubeconfig
	// silent are the management clusters that have not answered for a minute.
	silent map[config.Kubeconfig]bool
	// Unusable are the errors of providers whose accounts cannot be searched.
	Unusable []error

	// formerHosts and currentHosts are the former and the current hosts of the accounts that have been swept already.
	formerHosts, currentHosts []string
}

// AddAccounts adds the account and region of each provider, once. A provider that cannot be used, such as one in a
// state from before its profile was renamed, is added to Unusable. It fails if none can be used.
func (c *Scope) AddAccounts(ctx context.Context, providers []Provider) error {
	seen := map[inventory.Place]bool{}
	for _, provider := range providers {
		aws, err := c.Project.Account(ctx, provider)
		var place inventory.Place
		if err == nil {
			place, err = aws.Place(ctx)
		}
		switch {
		case err != nil && provider.Name != "":
			c.Unusable = append(c.Unusable, fmt.Errorf("the account of AWS provider %s cannot be searched: %w", provider.Name,
				err))
		case err != nil:
			c.Unusable = append(c.Unusable, err)
		case !seen[place]:
			seen[place] = true
			c.Accounts = append(c.Accounts, aws)
		}
	}
	if len(c.Accounts) == 0 {
		return errors.Join(c.Unusable...)
	}
	return nil
}

// Facts searches an account, and adds the facts from the backend and the management clusters.
func (c *Scope) Facts(ctx context.Context, aws account.Account) (Facts, error) {
	f, err := Search(ctx, aws, c.Journals, time.Now(), Everything)
	if err != nil {
		return f, err
	}
	err = c.complete(ctx, &f)
	return f, err
}

// complete adds the facts from the backend and the management clusters.
func (c *Scope) complete(ctx context.Context, f *Facts) error {
	files, unread := c.Project.Files()
	for _, err := range unread {
		f.Unread = append(f.Unread, err.Error())
	}
	f.Files = map[string]string{}
	for _, file := range files {
		stack := stackOf(file)
		text, err := c.Project.ReadFile(stack)
		if err != nil {
			return fmt.Errorf("reading the file of a stack: %w", err)
		}
		f.Files[stack] = string(text)
	}
	if err := c.addStates(ctx, f); err != nil {
		return err
	}
	f.Management = c.managementClusters(ctx, files)
	f.addUnlocated()
	return nil
}

// completeOwn is like complete, for the sweep of a destroy: what cannot be read of other stacks is left out, unless the
// cluster may be theirs.
func (c *Scope) completeOwn(ctx context.Context, f *Facts) error {
	err := c.complete(ctx, f)
	if c.NotOwn {
		return err
	}
	f.Unread = nil
	f.Management = slices.DeleteFunc(f.Management, func(m ManagementCluster) bool { return m.Other && m.Err != nil })
	return err
}

// Naming returns the DNS names of the scope's cluster according to the files of the project's stacks.
func (c *Scope) Naming() Naming {
	files, _ := c.Project.Files()
	return readNaming(files, c.InfraID)
}

// AddRecords adds the cluster's records to what was found in each of the scope's accounts. A record may point at a host
// of another account; it is not deleted while that host exists.
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

// managementClusters reads the management clusters of the flags and the stacks' files.
func (c *Scope) managementClusters(ctx context.Context, files []*config.File) []ManagementCluster {
	wanted := slices.Clone(c.Kubeconfigs)
	stacks := map[config.Kubeconfig][]string{}
	if c.silent == nil {
		c.silent = map[config.Kubeconfig]bool{}
	}
	for _, file := range files {
		if own := file.ManagementCluster(); own != nil {
			wanted = append(wanted, *own)
			stacks[*own] = append(stacks[*own], stackOf(file))
		}
	}
	if c.AskLong { // the file may select another one than the state, and must not be believed alone
		for _, stack := range slices.Sorted(maps.Keys(c.inStates)) {
			k := c.inStates[stack]
			wanted, stacks[k] = append(wanted, k), append(stacks[k], stack)
		}
	}
	var clusters []ManagementCluster
	seen := map[config.Kubeconfig]bool{}
	for i, one := range wanted {
		if seen[one] {
			continue
		}
		seen[one] = true
		m := ManagementCluster{Name: managementName(one), Other: i >= len(c.Kubeconfigs), Stacks: stacks[one]}
		m.NoAnswer = binding.IsSilent(ctx, c.AskLong && !c.silent[one], c.Pause, c.Say, func() error {
			m.UID, m.Alive, m.Err = c.read(ctx, one)
			return m.Err
		})
		if c.AskLong && m.NoAnswer {
			c.silent[one] = true
		}
		clusters = append(clusters, m)
	}
	return clusters
}

// stackOf returns the name of the stack of a file.
func stackOf(file *config.File) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file.Path), "Pulumi."), ".yaml")
}

func managementName(k config.Kubeconfig) string {
	switch {
	case k.Context != "":
		return k.Context
	case k.File != "":
		return "the current context of " + k.File
	}
	return "the current context"
}

// managementTimeout limits the time that a management cluster may take to answer.
const managementTimeout = 20 * time.Second

// read reads a management cluster.
func (c *Scope) read(ctx context.Context, k config.Kubeconfig) (uid string, alive map[string]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, managementTimeout)
	defer cancel()
	return c.Project.ManagementCluster(ctx, k)
}

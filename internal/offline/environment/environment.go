// Package environment is where the stacks of a project are deployed: in AWS, or in accounts and management clusters in memory. It is chosen
// once, by Open; whatever differs between the two is a method of Environment.
package environment

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/discovery/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Environment is where the stacks of a project are deployed. Close it.
type Environment interface {
	// Label marks the environment's stacks in reports; "" for AWS.
	Label() string
	// Introduction tells users about the environment before an operation; "" for AWS.
	Introduction() string
	// Scope identifies the AWS accounts: an account ID means the same account in environments of one scope.
	Scope() string
	// Timing is how long AWS takes.
	Timing() Timing
	// Downloads reports whether a missing engine and missing plugins may be downloaded.
	Downloads() bool

	// Folder is the folder of the project's own files: journals, working folders.
	Folder() string
	// MakeWorkDir creates the folder in which the engine runs for a stack.
	MakeWorkDir(stack string) (string, error)
	// Backend is the storage of the stacks' states.
	Backend() project.Backend
	// Environ returns the engine's environment, with the backend and the access to the secrets of its states.
	Environ() engine.Environ
	// SecretsProvider returns the provider with which the state of a stack is created whose file names one, "" for the engine's default.
	SecretsProvider(named string) string

	// CheckCredentials tries the credentials of providers. providers is not called if no credentials are used.
	CheckCredentials(ctx context.Context, providers func() ([]config.ProviderSettings, error)) error
	// KnowsAccounts reports whether Accounts opens the accounts that the engine uses: not if PULUMI_DEBUG_PROVIDERS attaches an aws provider.
	KnowsAccounts() bool
	// Accounts prepares the accounts of a stack. existing, which may be nil, returns what its config refers to. tell receives notes.
	Accounts(existing func() []config.Existing, tell func(report.Event)) (Accounts, error)
	// Select returns the context that a kubeconfig selects now; nil in memory, where a kubeconfig is only a name.
	Select(k config.Kubeconfig) (*kubeconfig.Selected, error)
	// OpenCluster opens the management cluster of a kubeconfig.
	OpenCluster(k config.Kubeconfig) (Cluster, error)
	// Resolver queries public DNS; nil if nothing is delegated to the environment.
	Resolver() preflight.Resolver
	// Remains describes what stays in the environment's accounts after a destroy, complete or not.
	Remains(complete bool) ([]string, error)
	Close() error
}

// Accounts are the accounts of a stack's providers, while the stack is open. Close them.
type Accounts interface {
	// Attach returns the engine's environment with access to the accounts.
	Attach(environ engine.Environ) engine.Environ
	// Open returns the account that the settings of a provider select. reveal returns the settings with their secrets; it is called only if
	// they are needed: to access the account, or to know which of those in memory it is.
	Open(settings map[string]any, reveal func() (map[string]any, error)) (account.Account, error)
	// Uses lists how the engine has used the accounts, nil if that is not known.
	Uses() []offline.Use
	Close() error
}

// Cluster is a management cluster.
type Cluster interface {
	clusterstatus.ManagementCluster
	preflight.Cluster
	// Infrastructures returns the HostedClusters and Clusters by their infra IDs.
	Infrastructures(ctx context.Context) (map[string]string, error)
	// ClusterUID returns the UID of namespace kube-system, "" if the caller may not read it.
	ClusterUID(ctx context.Context) (string, error)
	// Address identifies the API server: its URL and the CA that it is trusted by, but no name of a context.
	Address() string
}

// Options are what an environment is opened with.
type Options struct {
	Project *project.Project
	// Environ is the environment of the caller.
	Environ engine.Environ
	// Backend is a backend's URL for AWS, "" for the project's (see project.Project.Backend).
	Backend string
	// Empty starts a new account in memory without the resources that the config refers to.
	Empty bool
	// Interrupts reach the engine that a rehearsal kills; may be nil without a rehearsal.
	Interrupts *engine.Interrupts
}

// Open opens the environment in memory, or AWS.
func Open(inMemory bool, o Options) (Environment, error) {
	if inMemory {
		return InMemory(o)
	}
	return AWS(o), nil
}

package workspace

import (
	"context"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Environment is where the stacks of a project are deployed. Close it.
type Environment interface {
	// Label marks the environment's stacks in reports; "" for AWS.
	Label() string
	// Introduction tells users about the environment before an operation; "" for AWS.
	Introduction() string
	// Timing is how long AWS takes.
	Timing() Timing
	Storage
	Cloud
	ManagementClusters
	Close() error
}

// Storage is where a project's files and states are, and how the engine gets there.
type Storage interface {
	// Folder is the folder of the project's own files: journals, working folders.
	Folder() string
	// MakeWorkDir creates the folder in which the engine runs for one operation on a stack.
	MakeWorkDir(stack string) (project.WorkDir, error)
	// Backend is the storage of the stacks' states.
	Backend() engine.Backend
	// Environ returns the engine's environment, with the backend and the access to the secrets of its states.
	Environ() engine.Environ
	// SecretsProvider returns the secrets provider for a new stack if its file names one, "" for the engine's default.
	SecretsProvider(named string) string
	// Downloads reports whether a missing engine and missing plugins may be downloaded.
	Downloads() bool
}

// Cloud is the AWS accounts of an environment.
type Cloud interface {
	// Scope identifies the AWS accounts: an account ID means the same account in environments of one scope.
	Scope() string
	// CheckCredentials tries the credentials of providers. providers is not called if no credentials are used.
	CheckCredentials(ctx context.Context, providers func() ([]config.ProviderSettings, error)) error
	// KnowsAccounts reports whether Accounts opens the accounts that the engine uses: not if PULUMI_DEBUG_PROVIDERS
	// attaches an aws provider.
	KnowsAccounts() bool
	// Accounts prepares the accounts of a stack. referred, which may be nil, returns what its config refers to. tell
	// receives notes.
	Accounts(referred func() Referred, tell func(report.Event)) (Accounts, error)
	// Resolver queries public DNS; nil if the environment is not on the internet, and nothing is delegated to it.
	Resolver() Resolver
	// ReleaseVersions reads the versions of release images from their registries; nil if the environment is not on the
	// internet.
	ReleaseVersions() func(ctx context.Context, releases config.Releases) map[string]string
	// Remains describes what stays in the environment's accounts after a destroy, complete or not.
	Remains(complete bool) ([]string, error)
}

// Referred are the existing resources that a stack's config refers to, and the settings of the AWS providers whose
// accounts have them, by the names of the providers.
type Referred struct {
	Existing  []config.Existing
	Providers map[string]map[string]any
}

// ManagementClusters opens management clusters.
type ManagementClusters interface {
	// Select returns the context that a kubeconfig selects now; nil in memory, where a kubeconfig is only a name.
	Select(k config.Kubeconfig) (*kubeconfig.Selected, error)
	// OpenCluster opens the management cluster of a kubeconfig.
	OpenCluster(k config.Kubeconfig) (Cluster, error)
}

// Accounts are the accounts of a stack's providers, while the stack is open. Close them.
type Accounts interface {
	// Attach returns the engine's environment with access to the accounts.
	Attach(environ engine.Environ) engine.Environ
	// Open returns the account that the settings of a provider select. reveal returns the settings with their secrets; it
	// is called only if they are needed: to access the account, or to know which of those in memory it is.
	Open(settings map[string]any, reveal func() (map[string]any, error)) (account.Account, error)
	// Renew lets Open read credentials again: accounts that are opened one after the other may share them.
	Renew()
	Close() error
}

// Cluster is a management cluster.
type Cluster interface {
	clusterstatus.ManagementCluster
	// Kinds are the kinds of an API, "hypershift.openshift.io/v1beta1"; none where the server does not have it.
	Kinds(ctx context.Context, apiVersion string) ([]string, error)
	// Infrastructures returns the HostedClusters and Clusters by their infra IDs.
	Infrastructures(ctx context.Context) (map[string]string, error)
	// ClusterUID returns the UID of namespace kube-system, "" if the caller may not read it.
	ClusterUID(ctx context.Context) (string, error)
	// Address identifies the API server: its URL and the CA that it is trusted by, but no name of a context.
	Address() string
}

// Resolver queries public DNS, and public hosts.
type Resolver interface {
	LookupNS(ctx context.Context, domain string) ([]string, error)
	// ServesDocuments reports whether an issuer's host serves the OIDC documents of the issuer, "<host>/<infra ID>".
	ServesDocuments(ctx context.Context, issuer string) (bool, error)
	// Resolves asks a server for the addresses of a name, or for the name servers of a zone. It returns false if the
	// server answers that it has none, and an error if it does not answer.
	Resolves(ctx context.Context, server, name string, zone bool) (bool, error)
}

// Timing is how long AWS takes in an environment.
type Timing struct {
	// Measured is true if operations take as long as on AWS: their durations are recorded, and the remaining time is
	// shown.
	Measured bool
	// Ready is how often a hosted cluster is read that is awaited, Deletion how often one that is deleted.
	Ready, Deletion time.Duration
	// divisor is how much faster than AWS the environment is.
	divisor time.Duration
}

// TimingOnAWS is the timing of AWS.
func TimingOnAWS() Timing {
	return Timing{Measured: true, Ready: 5 * time.Second, Deletion: time.Minute, divisor: 1}
}

// TimingInMemory is the timing of accounts in memory.
func TimingInMemory() Timing {
	return Timing{Ready: 100 * time.Millisecond, Deletion: 800 * time.Millisecond, divisor: 1000}
}

// Wait waits until AWS has had this much time. It fails if the context ends before.
func (t Timing) Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d / t.divisor)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// memory is the environment of accounts and management clusters in memory, with a separate state. Their content is kept
// in a folder of the project.
type memory struct {
	environment.Options
	// secrets is the secrets provider of the states.
	secrets *transit.Server
}

var (
	_ workspace.Environment = (*memory)(nil)
	_ workspace.Accounts    = memoryAccounts{}

	_ workspace.Cluster = inmemory.Cluster{}
)

// InMemory opens the environment in memory: it needs neither credentials nor a network. Faults in the settings of a
// rehearsal are refused here, once.
func InMemory(o environment.Options) (workspace.Environment, error) {
	if _, err := inmemory.ReadRehearsal(o.Environ); err != nil {
		return nil, err
	}
	secrets, err := transit.Serve()
	if err != nil {
		return nil, err
	}
	return &memory{o, secrets}, nil
}

func (*memory) Label() string                { return "offline" }
func (e *memory) Scope() string              { return e.Folder() }
func (*memory) Timing() workspace.Timing     { return workspace.TimingInMemory() }
func (*memory) Downloads() bool              { return false }
func (*memory) KnowsAccounts() bool          { return true }
func (*memory) Resolver() workspace.Resolver { return nil }
func (e *memory) Folder() string             { return e.Project.OfflineDir() }
func (e *memory) Backend() engine.Backend    { return e.Project.OfflineBackend() }
func (e *memory) Close() error               { return e.secrets.Close() }

// ReleaseVersions implements Environment: no registry is asked.
func (*memory) ReleaseVersions() func(context.Context, config.Releases) map[string]string { return nil }

// Introduction implements Environment: the account is explained when it is made.
func (e *memory) Introduction() string {
	if _, err := os.Stat(filepath.Join(e.Folder(), "accounts")); err == nil {
		return "offline"
	}
	return fmt.Sprintf("offline: the AWS account is simulated in memory and stored in %s; AWS is not called", e.Folder())
}

// MakeWorkDir implements Environment.
func (e *memory) MakeWorkDir(stack string) (project.WorkDir, error) {
	return e.Project.MakeOfflineWorkDir(stack)
}

// Environ implements Environment.
func (e *memory) Environ() engine.Environ {
	environ := inmemory.Environ(environment.OfEngine(e.Options.Environ, e.Backend()), e.Folder())
	for name, value := range e.secrets.Environ() {
		environ = environ.With(name, value)
	}
	return environ
}

// SecretsProvider implements Environment: the working folder's copy of the stack's file names it.
func (*memory) SecretsProvider(string) string { return "" }

// CheckCredentials implements Environment.
func (*memory) CheckCredentials(context.Context, func() ([]config.ProviderSettings, error)) error {
	return nil
}

// Select implements Environment.
//
//nolint:nilnil // a name selects no context
func (*memory) Select(config.Kubeconfig) (*kubeconfig.Selected, error) { return nil, nil }

// OpenCluster implements Environment.
func (e *memory) OpenCluster(k config.Kubeconfig) (workspace.Cluster, error) {
	return inmemory.OpenCluster(e.Folder(), k.File, k.Context, e.Options.Environ)
}

// Remains implements Environment.
func (e *memory) Remains(complete bool) ([]string, error) {
	if complete {
		return inmemory.Rest(e.Folder())
	}
	return inmemory.Operators(e.Folder())
}

// Accounts implements Environment.
func (e *memory) Accounts(referred func() workspace.Referred, tell func(report.Event)) (workspace.Accounts, error) {
	options := inmemory.Options{Dir: e.Folder(), Environ: e.Options.Environ, Interrupts: e.Interrupts, Report: tell}
	if referred != nil && !e.Empty {
		r := referred()
		options.Existing, options.Providers = r.Existing, r.Providers
	}
	for i := range options.Existing {
		if !e.Suitable {
			options.Existing[i].Services = nil
		}
	}
	server, err := inmemory.Serve(options)
	return memoryAccounts{server, e.Options.Environ}, err
}

// memoryAccounts opens accounts in memory.
type memoryAccounts struct {
	*offline.Server
	environ engine.Environ
}

// Uses lists how the engine has used accounts in memory, nil for accounts in AWS.
func Uses(a workspace.Accounts) []permissions.Need {
	if served, ok := a.(memoryAccounts); ok {
		return served.Uses()
	}
	return nil
}

// Attach implements Accounts.
func (a memoryAccounts) Attach(environ engine.Environ) engine.Environ {
	return environ.With(engine.ProvidersVariable, a.Providers())
}

// Renew implements Accounts: nothing is shared.
func (memoryAccounts) Renew() {}

// Open implements Accounts. A provider without a region has the region of the caller's environment, else us-east-1.
// Credentials select the account, so encrypted ones are revealed.
func (a memoryAccounts) Open(settings map[string]any, reveal func() (map[string]any, error)) (account.Account, error) {
	if awsconfig.Encrypted(settings["accessKey"]) || awsconfig.Encrypted(settings["profile"]) {
		var err error
		if settings, err = reveal(); err != nil {
			return nil, err
		}
	}
	if settings["region"] == nil {
		regional := map[string]any{}
		maps.Copy(regional, settings)
		regional["region"] = cmp.Or(a.environ.Region(), "us-east-1")
		settings = regional
	}
	return inmemory.NewAccount(a.Server, settings), nil
}

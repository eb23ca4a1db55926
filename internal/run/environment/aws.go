package environment

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/releaseimage"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// real is AWS.
type real struct{ Options }

var (
	_ workspace.Environment = (*real)(nil)
	_ workspace.Accounts    = (*realAccounts)(nil)
	_ workspace.Cluster     = (*kubeapi.Cluster)(nil)
)

// AWS returns the environment of real accounts and management clusters, with the credentials of the caller.
func AWS(o Options) workspace.Environment { return &real{o} }

func (*real) Label() string                { return "" }
func (*real) Introduction() string         { return "" }
func (*real) Scope() string                { return "" }
func (*real) Timing() workspace.Timing     { return workspace.TimingOnAWS() }
func (*real) Resolver() workspace.Resolver { return publicDNS{} }

func (*real) ReleaseVersions() func(context.Context, config.Releases) map[string]string {
	return releaseimage.Versions
}
func (*real) Close() error { return nil }

// Remains implements Environment: the engine has reported all.
func (*real) Remains(bool) ([]string, error) { return nil, nil }

func (e *real) Folder() string { return e.Project.OwnDir() }

func (e *real) MakeWorkDir(stack string) (project.WorkDir, error) {
	return e.Project.MakeWorkDir(stack)
}

func (e *real) Backend() engine.Backend {
	return e.Project.Backend(e.Options.Backend, e.Options.Environ)
}

func (e *real) Environ() engine.Environ { return OfEngine(e.Options.Environ, e.Backend()) }

// OfEngine returns the environment of an engine that this program starts, without variables that change what an
// operation does.
func OfEngine(environ engine.Environ, backend engine.Backend) engine.Environ {
	return environ.WithoutOptions().
		With("PULUMI_BACKEND_URL", backend.URL).
		With("PULUMI_SKIP_UPDATE_CHECK", "true").
		Without(func(name string) bool { return name == "PULUMI_STACK" })
}

func (*real) SecretsProvider(named string) string { return named }

func (*real) Downloads() bool { return true }

func (e *real) KnowsAccounts() bool {
	for provider := range strings.SplitSeq(e.Options.Environ.Get(engine.ProvidersVariable), ",") {
		if strings.HasPrefix(provider, "aws:") {
			return false
		}
	}
	return true
}

// CheckCredentials implements Environment. The error names a further account by its config keys.
func (e *real) CheckCredentials(ctx context.Context, providers func() ([]config.ProviderSettings, error)) error {
	if !e.KnowsAccounts() {
		return nil
	}
	all, err := providers()
	if err != nil {
		return err
	}
	var faults []error
	for i, provider := range all {
		err := checkSettings(ctx, provider.Prefix, provider.Values)
		if i == 0 && err != nil {
			return err // the others are usually reached with the same credentials
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// checkSettings tries the credentials that a provider of those settings would use.
func checkSettings(ctx context.Context, prefix string, values map[string]any) error {
	settings, err := awsconfig.ParseSection(prefix, values)
	if err == nil {
		err = settings.Check(ctx)
	}
	var known *awsconfig.Error
	if !errors.As(err, &known) {
		return err
	}
	problem := known.Problem
	if account, further := strings.CutSuffix(prefix, "."); further {
		problem = account + ": " + problem
	}
	return &failure.Error{Reason: failure.Failed, Problem: problem, Remedy: known.Remedy, Cause: err}
}

func (*real) Accounts(func() workspace.Referred, func(report.Event)) (workspace.Accounts, error) {
	return &realAccounts{now: time.Now}, nil
}

// Select implements Environment: what the engine's environment selects.
func (e *real) Select(k config.Kubeconfig) (*kubeconfig.Selected, error) {
	selected, err := kubeconfig.Select(k.File, k.Context, e.Options.Environ.Get)
	if err != nil {
		return nil, err
	}
	return &selected, nil
}

func (e *real) OpenCluster(k config.Kubeconfig) (workspace.Cluster, error) {
	selected, err := e.Select(k)
	if err != nil {
		return nil, err
	}
	return kubeapi.OpenSelected(*selected)
}

// realAccounts opens accounts by AWS's SDK, with the credentials of providers' settings. Providers whose settings mean
// the same share an account for a while, so that its credentials are read, and their owner is asked for, once.
type realAccounts struct {
	now    func() time.Time
	mutex  sync.Mutex
	shared map[string]sharedAccount
}

type sharedAccount struct {
	account.Account
	since time.Time
}

// sharedFor is how long an account is shared: the credentials in files may change while an operation waits for an
// answer of its user, or for a cluster.
const sharedFor = time.Minute

func (*realAccounts) Attach(environ engine.Environ) engine.Environ { return environ }
func (*realAccounts) Close() error                                 { return nil }

// Renew implements Accounts.
func (a *realAccounts) Renew() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.shared = nil
}

// Open implements Accounts.
func (a *realAccounts) Open(_ map[string]any, reveal func() (map[string]any, error)) (account.Account, error) {
	settings, err := reveal()
	if err != nil {
		return nil, err
	}
	opened, key := account.NewAWS(settings), ""
	if parsed, err := awsconfig.Parse(settings); err == nil { // the account's first call reports an error
		key = parsed.Key()
	}
	if key == "" {
		return opened, nil
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if known, is := a.shared[key]; is && a.now().Sub(known.since) < sharedFor {
		return known.Account, nil
	}
	if a.shared == nil {
		a.shared = map[string]sharedAccount{}
	}
	a.shared[key] = sharedAccount{opened, a.now()}
	return opened, nil
}

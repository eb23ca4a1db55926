package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// AccountOptions configure ServeAccount.
type AccountOptions struct {
	// Dir is the folder of the accounts and of the states. Default: a temporary folder, which Close removes.
	Dir string
	// Existing are resources that a new account has although no stack created them, each KIND=NAME.
	Existing []string
	// Environ is the environment of the caller, as in os.Environ. Default: this process's environment.
	Environ []string
	// Executable is a program beside whose bin/pulumi the engine is searched, and EngineDirs are further folders.
	Executable string
	EngineDirs []string
	// Log receives sentences about the accounts. Default: they are dropped.
	Log func(sentence string)
}

// Account is an account in memory for Pulumi programs of a user, with the engine that runs them. Close it.
type Account struct {
	served *OwnProgram
	engine *engine.Engine
	remove string
}

// existingKinds maps the kinds of AccountOptions.Existing to those that need only a name.
func existingKinds() map[string]config.ExistingKind {
	kinds := map[string]config.ExistingKind{}
	for _, kind := range []config.ExistingKind{
		config.ExistingPublicZone, config.ExistingKMSKey, config.ExistingOIDCProvider, config.ExistingLoadBalancer,
		config.ExistingVPC, config.ExistingElasticIP, config.ExistingKeyPair, config.ExistingEndpointService,
		config.ExistingTransitGateway, config.ExistingFirewallService, config.ExistingIPAMPool, config.ExistingPublicIPAMPool,
		config.ExistingPublicIPv4Pool,
	} {
		kinds[strings.ReplaceAll(strings.ToLower(string(kind)), " ", "-")] = kind
	}
	return kinds
}

// ExistingKinds returns the kinds of AccountOptions.Existing, in alphabetical order.
func ExistingKinds() []string { return slices.Sorted(maps.Keys(existingKinds())) }

// ServeAccount serves an account to the engines that are started with the options or the environment of the result.
func ServeAccount(ctx context.Context, o AccountOptions) (_ *Account, err error) {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	served := inmemory.Options{Dir: o.Dir, Environ: o.Environ, Report: func(e report.Event) {
		if note, ok := e.(*event.Note); ok && o.Log != nil {
			o.Log(note.Message)
		}
	}}
	if served.Existing, err = existing(o.Existing); err != nil {
		return nil, err
	}
	account := &Account{}
	search := engine.Search{Environ: o.Environ, Executable: o.Executable, Dirs: o.EngineDirs}
	if account.engine, err = engine.Find(ctx, search); err != nil {
		return nil, err
	}
	if o.Dir == "" {
		if account.remove, err = os.MkdirTemp("", "hypershift-aws-"); err != nil {
			return nil, fmt.Errorf("creating a folder for the account: %w", err)
		}
		served.Dir = account.remove
	}
	if account.served, err = ServeOwnProgram(served); err != nil {
		return nil, errors.Join(err, account.removeDir())
	}
	return account, nil
}

// existing returns the resources of AccountOptions.Existing.
func existing(texts []string) ([]config.Existing, error) {
	var list []config.Existing
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		kind, known := existingKinds()[name]
		if !found || !known || value == "" {
			return nil, &failure.Error{
				Reason: failure.Refused, Problem: fmt.Sprintf("%q is not an existing resource", text),
				Remedy: "use KIND=NAME, such as public-zone=example.com; the kinds are " + strings.Join(ExistingKinds(), ", "),
			}
		}
		list = append(list, config.Existing{Kind: kind, Name: value})
	}
	return list, nil
}

// Options returns the options with which the Automation API runs a program in the account.
func (a *Account) Options() []auto.LocalWorkspaceOption {
	variables := map[string]string{}
	for _, entry := range a.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		variables[name] = value
	}
	return []auto.LocalWorkspaceOption{
		auto.EnvVars(variables), auto.PulumiHome(variables["PULUMI_HOME"]), auto.SecretsProvider(transit.Provider),
		auto.Pulumi(&engine.Command{Engine: a.engine, Environ: a.Environ(), Interrupts: engine.NewInterrupts()}),
	}
}

// Environ returns the environment for a command that runs a program: the caller's, without credentials and with the
// engine on PATH.
func (a *Account) Environ() []string {
	environ := a.served.Environ()
	return environ.With("PATH", filepath.Dir(a.engine.Path)+string(os.PathListSeparator)+environ.Get("PATH"))
}

// Close stops serving the account.
func (a *Account) Close() error { return errors.Join(a.served.Close(), a.removeDir()) }

func (a *Account) removeDir() error {
	if a.remove == "" {
		return nil
	}
	return os.RemoveAll(a.remove)
}

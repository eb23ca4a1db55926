package automation

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
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// OfflineOptions configure ServeOffline.
type OfflineOptions struct {
	// Dir is the folder of the accounts and of the states. Default: a temporary folder, which Close removes.
	Dir string
	// Existing are resources that a new account has although no stack created them, each KIND=NAME, such as "public-zone=example.com":
	// ExistingKinds lists the kinds. Default none.
	Existing []string
	// Environ is the environment of the caller, as in os.Environ. Default: this process's environment.
	Environ []string
	// Executable and EngineDirs are as in ProjectOptions.
	Executable string
	EngineDirs []string
	// Log receives sentences about the accounts. Default: they are dropped.
	Log func(sentence string)
}

// Offline is an AWS account in memory for Pulumi programs that are not stacks of this project, such as a program that embeds components, and
// its test. The programs run in the real engine, without credentials and without a network. Close it.
type Offline struct {
	served *sandbox.OwnProgram
	engine *engine.Engine
	remove string
}

// existingKinds maps the kinds of OfflineOptions.Existing to those that need only a name.
func existingKinds() map[string]config.ExistingKind {
	kinds := map[string]config.ExistingKind{}
	for _, kind := range []config.ExistingKind{
		config.ExistingPublicZone, config.ExistingKMSKey, config.ExistingOIDCProvider, config.ExistingLoadBalancer, config.ExistingVPC,
		config.ExistingElasticIP, config.ExistingKeyPair, config.ExistingEndpointService, config.ExistingTransitGateway, config.ExistingFirewallService,
		config.ExistingIPAMPool, config.ExistingPublicIPAMPool, config.ExistingPublicIPv4Pool,
	} {
		kinds[strings.ReplaceAll(strings.ToLower(string(kind)), " ", "-")] = kind
	}
	return kinds
}

// ExistingKinds returns the kinds of OfflineOptions.Existing, in alphabetical order.
func ExistingKinds() []string { return slices.Sorted(maps.Keys(existingKinds())) }

// ServeOffline serves an account to the engines that are started with the options or the environment of the result. It fails if there is no
// engine, or if Existing has another form.
func ServeOffline(ctx context.Context, o OfflineOptions) (_ *Offline, err error) {
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
	offline := &Offline{}
	if offline.engine, err = engine.Find(ctx, engine.Search{Environ: o.Environ, Executable: o.Executable, Dirs: o.EngineDirs}); err != nil {
		return nil, err
	}
	if o.Dir == "" {
		if offline.remove, err = os.MkdirTemp("", "hypershift-aws-"); err != nil {
			return nil, fmt.Errorf("creating a folder for the account: %w", err)
		}
		served.Dir = offline.remove
	}
	if offline.served, err = sandbox.ServeOwnProgram(served); err != nil {
		return nil, errors.Join(err, offline.removeDir())
	}
	return offline, nil
}

// existing returns the resources of OfflineOptions.Existing.
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

// Options returns the options with which the Automation API runs a program in the account:
//
//	stack, err := auto.UpsertStackInlineSource(ctx, "test", "project", program, account.Options()...)
func (o *Offline) Options() []auto.LocalWorkspaceOption {
	variables := map[string]string{}
	for _, entry := range o.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		variables[name] = value
	}
	return []auto.LocalWorkspaceOption{
		auto.EnvVars(variables), auto.PulumiHome(variables["PULUMI_HOME"]), auto.SecretsProvider(transit.Provider),
		auto.Pulumi(&engine.Command{Engine: o.engine, Environ: o.Environ(), Interrupts: engine.NewInterrupts()}),
	}
}

// Environ returns the environment for a command that runs a program, as in os.Environ: the caller's environment, without credentials and with the
// engine on PATH.
func (o *Offline) Environ() []string {
	environ := o.served.Environ()
	return environ.With("PATH", filepath.Dir(o.engine.Path)+string(os.PathListSeparator)+environ.Get("PATH"))
}

// Close stops serving the account.
func (o *Offline) Close() error { return errors.Join(o.served.Close(), o.removeDir()) }

func (o *Offline) removeDir() error {
	if o.remove == "" {
		return nil
	}
	return os.RemoveAll(o.remove)
}

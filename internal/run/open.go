// Package run is the core: one operation on one stack. It opens the stack, recovers what an earlier run left, binds the
// target, asks the gates, previews, asks the person, runs the engine, and reports. up.go has the order of an update.
// Features take part as values of Feature.
package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/provider"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/run/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/heldfields"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/hosted"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Mode is the treatment of a stack that has no state yet.
type Mode int

const (
	// MustExist refuses a stack without a state.
	MustExist Mode = iota
	// MayCreate creates the state.
	MayCreate
	// MustBeDeployed refuses a stack without a state, and checks what MayCreate does.
	MustBeDeployed
)

// Opened is an opened stack, with what operations do on it. Close its Stack.
type Opened struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
	Gates      *life.Gates
	Conflicts  *heldfields.Conflicts
	Checker    *plancheck.Checker
	Cluster    *hosted.Cluster
	Recovery   *Recovery
	Engine     *Engine
	Destroyer  *Destroyer
}

// with returns what operations do on a stack.
func with(s *workspace.Stack) *Opened {
	connection := &binding.Connection{Stack: s}
	o := &Opened{
		Stack: s, Connection: connection,
		Gates:     &life.Gates{Stack: s, Connection: connection},
		Conflicts: &heldfields.Conflicts{Stack: s, Connection: connection},
		Cluster:   &hosted.Cluster{Stack: s, Connection: connection},
	}
	o.Checker = &plancheck.Checker{Stack: s, Connection: connection, Conflicts: o.Conflicts}
	o.Recovery = &Recovery{Stack: s, Connection: connection, Gates: o.Gates}
	o.Engine = &Engine{Stack: s, Connection: connection, Gates: o.Gates, Conflicts: o.Conflicts, Recovery: o.Recovery}
	o.Destroyer = &Destroyer{
		Stack:      s,
		Connection: connection,
		Gates:      o.Gates,
		Cluster:    o.Cluster,
		Recovery:   o.Recovery,
		Engine:     o.Engine,
	}
	return o
}

// Open prepares a stack for operations. The file may be nil under MustExist, for operations that read no config.
func Open(ctx context.Context, s *workspace.Session, name string, file *config.File, mode Mode) (*Opened, error) {
	o := with(s.Stack(name, file))
	stack := o.Stack
	if mode != MustExist {
		if err := requirePassphrase(stack); err != nil {
			return nil, err
		}
		var err error
		if stack.Management, err = users.CheckManagement(ctx, s, file); err != nil {
			return nil, err
		}
		if err := users.UseParts(ctx, s, file); err != nil {
			return nil, err
		}
	}
	exists, err := stack.Backend.Exists()
	if err != nil {
		return nil, err
	}
	if !exists && mode != MayCreate {
		return nil, workspace.NotDeployed(stack, nil)
	}
	if err := stack.Backend.Make(); err != nil {
		return nil, err
	}
	if stack.Engine, err = s.Environment.MakeWorkDir(name); err != nil {
		return nil, err
	}
	stack.WorkDir = stack.Engine.Records
	if err := errors.Join(kubeconfig.RemoveAbandoned(o.Connection.KubeconfigsDir()),
		engine.RemoveAbandoned(copiesDir(stack))); err != nil {
		return nil, err
	}
	stack.Command.Started, stack.Command.Prepare = func(pid int, args []string) {
		noteEngine(stack, pid, args)
	}, o.Engine.prepareOwn
	return o, o.load(ctx, mode)
}

// Program returns the session's program or, without one, package stacks', which reads the management cluster anew and
// compares it with the recorded one. It also exports the uses of flags that allowed what was refused.
func (o *Opened) Program() pulumi.RunFunc {
	// what others hold is found before each run
	program := func(ctx *pulumi.Context) error { return o.Stack.Session.ProgramOf(o.options())(ctx) }
	return consent.Exported(stacks.ConsentsOutput, program, func() []consent.Use { return o.Stack.Used })
}

func (o *Opened) options() stacks.Options {
	options := stacks.Options{
		Dir: o.Stack.Session.Project.StackDir(), ClusterUID: o.Connection.ProgramClusterUID,
		Account: identity.CheckOwnAccount,
		Live:    o.Connection.ReadLive, StoredVersions: o.Connection.ReadStoredVersions,
		Secrets: o.Stack.Session.Project.SuppliedSecrets(o.Stack.Name), Held: o.Conflicts.Paths(),
		Unpreviewed:    o.Conflicts.Unpreviewed,
		UnreadReported: o.Connection.Unanswered, ReleaseVersions: o.Stack.Session.Environment.ReleaseVersions(),
	}
	if o.Stack.Session.Trial {
		options.Live = nil // the account has no cluster
	}
	return options
}

// noteEngine records an engine that takes the stack's lock.
func noteEngine(s *workspace.Stack, pid int, args []string) {
	locks := []string{"up", "destroy", "refresh", "import", "rm", "state"}
	if slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(locks, arg) }) {
		s.EnginePID.Store(int64(pid))
		if err := state.NewProcesses(s.WorkDir).Started(pid); err != nil {
			s.Say("%s", err)
		}
	}
}

// requirePassphrase refuses to create a stack without the passphrase that it needs, before anything is written.
func requirePassphrase(s *workspace.Stack) error {
	provider := s.File.SecretsProvider
	if provider != "passphrase" && (provider != "" || s.Backend.Cloud()) {
		return nil
	}
	_, given := s.Command.Environ.Lookup("PULUMI_CONFIG_PASSPHRASE")
	_, inFile := s.Command.Environ.Lookup("PULUMI_CONFIG_PASSPHRASE_FILE")
	if given || inFile {
		return nil
	}
	return workspace.NoPassphrase(s.Name, nil)
}

// load reads the stack's state, refuses a state that is not this operation's, and opens the engine's workspace. A stack
// without a state is created in its backend.
func (o *Opened) load(ctx context.Context, mode Mode) error {
	err := o.Stack.ReadState(ctx)
	missing := err != nil && workspace.IsMissing(err)
	switch {
	case missing && mode != MayCreate:
		return workspace.NotDeployed(o.Stack, err)
	case err != nil && !missing:
		return o.Stack.Classify(err)
	}
	if c := config.As[*config.Cluster](o.Stack.File); c != nil {
		c.AfterUpdate(o.Stack.State.Outputs())
	}
	if err := refuseNewer(o.Stack); err != nil {
		return err
	}
	if project := o.Stack.Session.Project; !missing && (project.Supplied(o.Stack.Name) != nil ||
		!project.HasStackFile(o.Stack.Name)) {
		if err := writeSettings(o.Stack); err != nil {
			return err
		}
	}
	if mode != MustExist {
		if err := refuseOtherKind(o.Stack); err != nil {
			return err
		}
	}
	if err := o.Stack.ReadUses(); err != nil {
		return err
	}
	return o.openWorkspace(ctx, missing)
}

// openWorkspace opens the workspace in which the engine runs, and creates the stack in its backend if it is missing
// there.
func (o *Opened) openWorkspace(ctx context.Context, missing bool) error {
	s := o.Stack
	options := []auto.LocalWorkspaceOption{auto.WorkDir(s.EngineDir()), auto.Pulumi(engine.WithoutHistory(s.Command)),
		auto.Program(o.Program())}
	if missing {
		if provider := s.Session.Environment.SecretsProvider(s.File.SecretsProvider); provider != "" {
			options = append(options, auto.SecretsProvider(provider))
		}
	}
	local, err := auto.NewLocalWorkspace(ctx, options...)
	if err != nil {
		return fmt.Errorf("opening the workspace %s: %w", s.EngineDir(), err)
	}
	created := false // without the engine
	if missing && s.Backend.Own {
		if created, err = s.StateFile().Create(); err != nil {
			return err
		}
	}
	open := auto.SelectStack
	if missing && !created {
		open = auto.NewStack
	}
	if s.Auto, err = open(ctx, s.Name, workspace.StackWorkspace{Workspace: local}); err != nil {
		return s.Classify(err)
	}
	if !missing {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Session.StackTags)) {
		if err := local.SetTag(ctx, s.Name, name, s.Session.StackTags[name]); err != nil {
			return s.Classify(err)
		}
	}
	return nil
}

// refuseOtherKind refuses a file of another kind than the stack was made with.
func refuseOtherKind(s *workspace.Stack) error {
	made, known := s.State.Outputs()["kind"].(string)
	if !known || made == string(s.File.Kind) {
		return nil
	}
	return &failure.Error{
		Reason: failure.Conflict,
		Problem: fmt.Sprintf("stack %s is of kind %s in %s, but %s has kind %s", s.Name, made, s.Backend.URL, s.File.Path,
			s.File.Kind),
		Remedy: "use another name for the new stack, or correct hypershift-aws:kind in its file",
	}
}

// writeSettings gives the engine the keys to decrypt the state of a stack without a file. Offline, the working folder
// has them.
func writeSettings(s *workspace.Stack) error {
	if settings := s.State.SecretsSettings(); len(settings) > 0 {
		return s.Session.Project.WriteStackSettings(s.Engine, s.Name, settings)
	}
	return nil
}

// refuseNewer refuses a stack that a newer version of this program has updated.
func refuseNewer(s *workspace.Stack) error {
	err := stacks.CheckVersion(s.Name, s.State.Outputs())
	var newer *stacks.NewerError
	if !errors.As(err, &newer) {
		return err
	}
	return &failure.Error{
		Reason:  failure.Conflict,
		Code:    failure.CodeNewer,
		Problem: newer.Problem(),
		Remedy:  newer.Remedy(),
		Cause:   err,
	}
}

// Remove removes the stack's state, which must be empty. The stack's file stays.
func Remove(ctx context.Context, s *workspace.Stack) error {
	if _, err := s.Run(ctx, "stack", "rm", "--yes", "--preserve-config", "--stack", s.Name); err != nil {
		return s.Classify(err)
	}
	return nil
}

// Release removes the stack's resources from its state: AWS and the management cluster keep everything. The state keeps
// which management cluster has the stack's cluster (see state.Deployment.Forget), unless all is true. It returns the
// removed resources.
func (o *Opened) Release(ctx context.Context, all bool) ([]apitype.ResourceV3, error) {
	release, err := o.Stack.Exclude()
	if err != nil {
		return nil, err
	}
	defer release()
	held, err := o.Stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	held = slices.DeleteFunc(held, func(r apitype.ResourceV3) bool { return r.External || strings.HasPrefix(string(r.Type), "pulumi:") })
	err = o.Stack.Rewrite(ctx, true, func(d *state.Deployment) error {
		if d.Forget(); all {
			d.Resources = nil
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(recovery.NewJournal(o.Stack.WorkDir).Forget(), o.Gates.Confirmed().Clear()); err != nil {
		return nil, err
	}
	o.Stack.Say("removed %[2]d resources from the state of stack %[1]s; they stay in AWS", o.Stack.Name, len(held))
	return held, nil
}

// Stages returns the changes of the last update that the next one continues, in words.
func (o *Opened) Stages(ctx context.Context) ([]string, error) {
	if err := o.Stack.CurrentState(ctx); err != nil {
		return nil, err
	}
	return o.Stack.State.Outputs().Strings("stages"), nil
}

// InstallPlugins installs the provider plugins that this program's stacks run with, so that many stacks that start at
// once do not each install them. It does nothing offline, and if the environment disables or attaches plugins. A plugin
// that cannot be installed is reported as a warning: it may be on PATH.
func InstallPlugins(ctx context.Context, s *workspace.Session, kubernetes bool) error {
	if !s.Environment.Downloads() || !s.Environment.KnowsAccounts() ||
		s.Environ.Get("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION") == "true" {
		return nil
	}
	stack := s.Stack("", nil)
	var err error
	if stack.WorkDir, err = s.ListWorkDir(); err != nil {
		return err
	}
	names := []string{"aws"}
	if kubernetes {
		names = append(names, "kubernetes")
	}
	for _, name := range names {
		version := provider.SDKVersion(name)
		if version == "" {
			continue
		}
		if _, err := stack.Run(ctx, "plugin", "install", "resource", name, version); err != nil {
			s.Report(&event.Note{
				Message: report.Sentence("warning: the plugin %s %s cannot be installed: %s", name, version, stack.Classify(err)),
			})
		}
	}
	return nil
}

// KeptFiles returns the names of the files in a stack's working folder that the next run needs to finish what an
// interrupted one left.
func KeptFiles() []string {
	return []string{"under-way.jsonl", "not-found.jsonl", "state-before.json", "engines.jsonl", "deletion.jsonl"}
}

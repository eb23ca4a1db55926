package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Session is the environment shared by the operations of one command.
type Session struct {
	Project *project.Project
	Engine  *engine.Engine
	// Environ is the environment of the caller.
	Environ engine.Environ
	// Environment is where the stacks are deployed.
	Environment environment.Environment
	// RestoreState restores the newest copy of a state that is damaged, even if it may lack resources.
	RestoreState bool
	// Unread are the stacks that the user allows not to be read; nil for none.
	Unread     *Unread
	Interrupts *engine.Interrupts
	// Report receives events; it must not be nil. It is called from several goroutines.
	Report func(report.Event)
	// Program is the Pulumi program; nil is that of package stacks.
	Program pulumi.RunFunc
	// RunEngine runs the engine for the part of an operation that changes the stack, and sends its events; nil is a call of the Automation API.
	RunEngine RunEngine

	// trial is true if the stacks are previewed in an empty account alone, in which no other tool has created anything.
	trial bool
}

// RunEngine runs an operation of the engine, sends its events, and closes the channel. Its owner has proved that nothing else works on the
// stack, on any machine.
type RunEngine func(events chan<- events.EngineEvent) error

// Runner is what the program in front of the engine replaces of its operations.
type Runner struct {
	Environment environment.Environment
	RunEngine   RunEngine
}

// Mode is the treatment of a stack that has no state yet.
type Mode int

const (
	// MustExist refuses a stack without a state.
	MustExist Mode = iota
	// MayCreate creates the state.
	MayCreate
)

// Stack is a stack that operations can be run on. Close it.
type Stack struct {
	// Name is the stack's name.
	Name    string
	session *Session
	engine  *engine.Engine
	backend project.Backend
	workDir string
	command *engine.Command
	auto    auto.Stack
	// file is the stack's file, nil if the operation reads no config.
	file *config.File
	// management is the outputs of the management stack in the file, nil if there is none.
	management *config.ManagementOutputs
	// selections are what the stack's kubeconfigs select.
	selections selections
	// accounts are those of the stack's providers, nil until an operation needs them.
	accounts environment.Accounts
	// state is the stack's state when it was last read, with encrypted secrets.
	state *state.Deployment
	// stateRead is true if nothing has changed the state since then.
	stateRead bool
	// used are the uses of flags that the stack exports.
	used []consent.Use
	// clusterUID is the UID of namespace kube-system that CheckIdentity read, "" if it may not be read.
	clusterUID string
	// heldFields are the fields that this run leaves to other clients of the management cluster, and unpreviewed the NodePools that a preview does
	// not send there. unanswered is true if the management cluster did not answer, or is not the stack's.
	heldFields []clusterstatus.HeldField
	// adopted are the objects that an adoption imports.
	adopted     []clusterstatus.Applied
	unpreviewed []string
	unanswered  bool
	// silent is the error of a management cluster that did not say in time which one it is: nothing else waits for its answers.
	silent error
	// settled is true if this run has settled what earlier ones left unfinished.
	settled bool
	// target is what the operation acts on, nil until it is resolved.
	target *gate.Target
	// deletion is the deletion that Destroy carries out, nil for other operations. clusterDeleted is true once the engine has deleted the cluster's
	// object in this operation, and seen its end.
	deletion       *Deletion
	clusterDeleted bool
	// planned is the last preview, of which the next operation records what AWS has already.
	planned *plan.Plan
	// credentialsChecked is true if the credentials of the stack's own AWS provider have been tried.
	credentialsChecked bool
}

// Open prepares a stack for operations. The file may be nil under MustExist, for operations that read no
// config.
func (s *Session) Open(ctx context.Context, name string, file *config.File, mode Mode) (*Stack, error) {
	stack := s.stack(name, file)
	if mode == MayCreate {
		if err := stack.requirePassphrase(); err != nil {
			return nil, err
		}
		var err error
		if stack.management, err = s.checkManagement(ctx, file); err != nil {
			return nil, err
		}
		if err := s.resolveParts(ctx, file); err != nil {
			return nil, err
		}
	}
	exists, err := stack.backend.Exists()
	if err != nil {
		return nil, err
	}
	if !exists && mode == MustExist {
		return nil, stack.notMade(nil)
	}
	if err := stack.backend.Make(); err != nil {
		return nil, err
	}
	if stack.workDir, err = s.Environment.MakeWorkDir(name); err != nil {
		return nil, err
	}
	if err := kubeconfig.RemoveAbandoned(stack.kubeconfigsDir()); err != nil {
		return nil, err
	}
	stack.command.Started, stack.command.Prepare = stack.noteEngine, stack.pinKubeconfigs
	return stack, stack.load(ctx, mode)
}

// stack returns a stack with its backend and the command that runs the engine on it; nothing is created or read yet.
func (s *Session) stack(name string, file *config.File) *Stack {
	return &Stack{
		Name: name, session: s, engine: s.Engine, backend: s.Environment.Backend(), file: file,
		command: &engine.Command{Engine: s.Engine, Environ: s.Environment.Environ(), Interrupts: s.Interrupts},
	}
}

// program returns the session's program or, without one, package stacks', which reads the management cluster anew and compares it with the recorded one. It also
// exports the uses of flags that allowed what was refused.
func (s *Stack) program() pulumi.RunFunc {
	program := s.session.Program
	if program == nil {
		program = s.stackProgram
	}
	return consent.Exported(stacks.ConsentsOutput, program, func() []consent.Use { return s.used })
}

func (s *Stack) stackProgram(ctx *pulumi.Context) error {
	// What others hold is found before each run.
	options := stacks.Options{
		Dir: s.session.Project.StackDir(), ClusterUID: s.programClusterUID, Live: s.readLive, StoredVersions: s.readStoredVersions,
		Held: s.heldPaths(), Unpreviewed: s.unpreviewed,
	}
	if s.session.trial {
		options.Live = nil // the account has no cluster
	}
	return options.Run(ctx)
}

// noteEngine records an engine that takes the stack's lock.
func (s *Stack) noteEngine(pid int, args []string) {
	locks := []string{"up", "destroy", "refresh", "import", "rm", "state"}
	if slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(locks, arg) }) {
		if err := s.engines().Started(pid); err != nil {
			s.say("%s", err)
		}
	}
}

// requirePassphrase refuses to create a stack without the passphrase that it needs, before anything is written.
func (s *Stack) requirePassphrase() error {
	provider := s.file.SecretsProvider
	if provider != "passphrase" && (provider != "" || s.backend.Cloud()) {
		return nil
	}
	_, given := s.command.Environ.Lookup("PULUMI_CONFIG_PASSPHRASE")
	_, inFile := s.command.Environ.Lookup("PULUMI_CONFIG_PASSPHRASE_FILE")
	if given || inFile {
		return nil
	}
	return noPassphrase(s.Name, nil)
}

// load finds the stack in its backend, or creates it there.
func (s *Stack) load(ctx context.Context, mode Mode) error {
	err := s.readState(ctx)
	missing := err != nil && noSuchStack(err)
	if err != nil && !missing {
		return s.classify(err)
	}
	if missing && mode == MustExist {
		return s.notMade(err)
	}
	if err := s.refuseNewer(); err != nil {
		return err
	}
	if !s.session.Project.HasStackFile(s.Name) && !missing {
		if err := s.writeSettings(); err != nil {
			return err
		}
	}
	if kind, made := s.state.Outputs()["kind"].(string); made && mode == MayCreate && kind != string(s.file.Kind) {
		return &failure.Error{
			Reason:  failure.Conflict,
			Problem: fmt.Sprintf("stack %s is of kind %s in %s, but %s has kind %s", s.Name, kind, s.backend.URL, s.file.Path, s.file.Kind),
			Remedy:  "use another name for the new stack, or correct hypershift-aws:kind in its file",
		}
	}
	if err := s.readUses(); err != nil {
		return err
	}
	options := []auto.LocalWorkspaceOption{auto.WorkDir(s.workDir), auto.Pulumi(engine.WithoutHistory(s.command)), auto.Program(s.program())}
	if missing {
		if provider := s.session.Environment.SecretsProvider(s.file.SecretsProvider); provider != "" {
			options = append(options, auto.SecretsProvider(provider))
		}
	}
	local, err := auto.NewLocalWorkspace(ctx, options...)
	if err != nil {
		return fmt.Errorf("opening the workspace %s: %w", s.workDir, err)
	}
	created := false
	if missing {
		if s.backend.Own {
			created, err = s.stateFile().Create()
		}
		if err != nil {
			return err
		}
	}
	if missing && !created {
		s.auto, err = auto.NewStack(ctx, s.Name, stackWorkspace{local})
	} else {
		s.auto, err = auto.SelectStack(ctx, s.Name, stackWorkspace{local})
	}
	if err != nil {
		return s.classify(err)
	}
	return nil
}

// writeSettings gives the engine the keys by which it decrypts the state of a stack without a file. Offline, the working folder has them.
func (s *Stack) writeSettings() error {
	if settings := s.state.SecretsSettings(); len(settings) > 0 {
		return s.session.Project.WriteStackSettings(s.workDir, s.Name, settings)
	}
	return nil
}

// kind returns the stack's kind: that of its last update or, before that, of its file; "" if neither has one.
func (s *Stack) kind() config.Kind {
	if made := s.state.Outputs().String("kind"); made != "" {
		return config.Kind(made)
	}
	if s.file != nil {
		return s.file.Kind
	}
	return ""
}

// refuseNewer refuses a stack that a newer version of this program has updated.
func (s *Stack) refuseNewer() error {
	err := stacks.CheckVersion(s.Name, s.state.Outputs())
	var newer *stacks.NewerError
	if !errors.As(err, &newer) {
		return err
	}
	return &failure.Error{Reason: failure.Conflict, Code: failure.CodeNewer, Problem: newer.Problem(), Remedy: newer.Remedy(), Cause: err}
}

// Project returns the name of the stack's project.
func (s *Stack) Project() string { return s.session.Project.Name() }

// Environment returns where the stack is deployed.
func (s *Stack) Environment() environment.Environment { return s.session.Environment }

// BackendURL returns the URL of the backend with the stack's state.
func (s *Stack) BackendURL() string { return s.backend.URL }

// File returns the stack's file, or nil for a stack that was opened without one.
func (s *Stack) File() *config.File { return s.file }

// Close releases the resources of the stack's operations. The engine creates folders in its backend that everybody can enter.
func (s *Stack) Close() {
	if s.backend.Own {
		_ = atomicfile.MakePrivate(filepath.Join(s.backend.Folder(), ".pulumi")) // the folder around it is private
	}
	if s.accounts != nil {
		_ = s.accounts.Close()
	}
}

// say reports a sentence about the operation.
func (s *Stack) say(format string, args ...any) { s.sayText(report.Sentence(format, args...)) }

// sayText reports a composed text about the operation.
func (s *Stack) sayText(text string) { s.session.Report(&report.NoteEvent{Message: text}) }

// Outputs returns the stack's outputs of its last update, with "[secret]" for what is secret unless
// showSecrets is set.
func (s *Stack) Outputs(ctx context.Context, showSecrets bool) (map[string]any, error) {
	if !showSecrets {
		if err := s.currentState(ctx); err != nil {
			return nil, err
		}
		return s.state.Outputs(), nil
	}
	outputs, err := s.shownOutputs(ctx)
	if err != nil {
		return nil, s.classify(err)
	}
	return outputs, nil
}

// run runs the engine outside of an operation and returns its output.
func (s *Stack) run(ctx context.Context, args ...string) (string, error) {
	return s.runBy(ctx, s.command, args...)
}

func (s *Stack) runBy(ctx context.Context, command *engine.Command, args ...string) (string, error) {
	return s.runWith(ctx, command, nil, args...)
}

// runWith runs the engine with a standard input, which it gets from a pipe: if this program is killed, the input ends, and nothing of it is left.
func (s *Stack) runWith(ctx context.Context, command *engine.Command, stdin io.Reader, args ...string) (string, error) {
	stdout, stderr, _, err := command.Run(ctx, s.workDir, stdin, nil, nil, nil, args...)
	if err != nil {
		return "", &engine.Error{Stderr: stderr, Err: err}
	}
	return stdout, nil
}

// stackWorkspace is the Automation API's workspace with two differences: it selects no stack, because every command
// names its stack, and it reads outputs only on demand, not after each update.
type stackWorkspace struct{ auto.Workspace }

// SelectStack implements auto.Workspace.
func (stackWorkspace) SelectStack(context.Context, string) error { return nil }

// StackOutputs implements auto.Workspace.
func (stackWorkspace) StackOutputs(context.Context, string) (auto.OutputMap, error) { return nil, nil }

// InstallPlugins installs the provider plugins that this program's stacks run with, so that many stacks that start at once do not each
// install them. It does nothing offline, and if the environment disables or attaches plugins. A plugin that cannot be installed is reported
// as a warning: it may be on PATH.
func (s *Session) InstallPlugins(ctx context.Context, kubernetes bool) error {
	if !s.Environment.Downloads() || !s.Environment.KnowsAccounts() || s.Environ.Get("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION") == "true" {
		return nil
	}
	stack := s.stack("", nil)
	var err error
	if stack.workDir, err = s.listWorkDir(); err != nil {
		return err
	}
	names := []string{"aws"}
	if kubernetes {
		names = append(names, "kubernetes")
	}
	for _, name := range names {
		version := pluginVersion(name)
		if version == "" {
			continue
		}
		if _, err := stack.run(ctx, "plugin", "install", "resource", name, version); err != nil {
			s.Report(&report.NoteEvent{Message: report.Sentence("warning: the plugin %s %s cannot be installed: %s", name, version, stack.classify(err))})
		}
	}
	return nil
}

// pluginVersion returns the version of a provider's SDK that this program is built with, or "" where Go has not
// recorded it.
func pluginVersion(name string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if strings.HasPrefix(module.Path, "github.com/pulumi/pulumi-"+name+"/sdk") {
			return module.Version
		}
	}
	return ""
}

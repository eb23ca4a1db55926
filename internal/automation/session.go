package automation

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/project"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Session is the environment shared by the operations of one command.
type Session struct {
	Project *project.Project
	Engine  *engine.Engine
	// Environ is the engine's environment, with the changes of Offline.
	Environ engine.Environ
	// Backend is a backend's URL, "" for the project's (see Project.Backend).
	Backend string
	// Offline runs against the account in memory and a separate state.
	Offline bool
	// Secrets is the secrets provider of offline stacks; nil without Offline.
	Secrets *transit.Server
	// EmptyAccount starts a new offline account without the resources that the config refers to.
	EmptyAccount bool
	Interrupts   *engine.Interrupts
	// Report receives events; it must not be nil. It is called from several goroutines.
	Report func(report.Event)
	// Program is the Pulumi program; nil is that of package stacks.
	Program pulumi.RunFunc
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
	// account is the offline account, nil until an operation needs it.
	account *offline.Server
	// state is the stack's state when it was last read, with encrypted secrets.
	state *state.Deployment
	// stateRead is true if nothing has changed the state since then.
	stateRead bool
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
	if s.Offline {
		stack.workDir, err = s.Project.MakeOfflineWorkDir(name)
	} else {
		stack.workDir, err = s.Project.MakeWorkDir(name)
	}
	if err != nil {
		return nil, err
	}
	return stack, stack.load(ctx, mode)
}

// stack returns a stack with its backend and the command that runs the engine on it; nothing is created or read yet.
func (s *Session) stack(name string, file *config.File) *Stack {
	backend := s.Project.Backend(s.Backend, s.Environ)
	if s.Offline {
		backend = s.Project.OfflineBackend()
	}
	environ := s.Environ.
		With("PULUMI_BACKEND_URL", backend.URL).
		With("PULUMI_SKIP_UPDATE_CHECK", "true").
		Without(func(name string) bool { return name == "PULUMI_STACK" })
	if s.Offline {
		environ = inmemory.Environ(environ, s.Project.OfflineDir())
		for name, value := range s.Secrets.Environ() {
			environ = environ.With(name, value)
		}
	}
	return &Stack{
		Name: name, session: s, engine: s.Engine, backend: backend, file: file,
		command: &engine.Command{Engine: s.Engine, Environ: environ, Interrupts: s.Interrupts},
	}
}

// requirePassphrase refuses to create a stack without the passphrase that it needs, before anything is written.
func (s *Stack) requirePassphrase() error {
	provider := s.file.SecretsProvider
	if s.session.Offline || provider != "passphrase" && (provider != "" || s.backend.Cloud()) {
		return nil
	}
	_, given := s.session.Environ.Lookup("PULUMI_CONFIG_PASSPHRASE")
	_, inFile := s.session.Environ.Lookup("PULUMI_CONFIG_PASSPHRASE_FILE")
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
	if kind, made := s.state.Outputs()["kind"].(string); made && mode == MayCreate && kind != string(s.file.Kind) {
		return &failure.Error{
			Reason:  failure.Conflict,
			Problem: fmt.Sprintf("stack %s is of kind %s in %s, but %s has kind %s", s.Name, kind, s.backend.URL, s.file.Path, s.file.Kind),
			Remedy:  "use another name for the new stack, or destroy the old one first",
		}
	}
	program := s.session.Program
	if program == nil {
		program = stacks.RunIn(s.session.Project.StackDir())
	}
	options := []auto.LocalWorkspaceOption{auto.WorkDir(s.workDir), auto.Pulumi(engine.WithoutHistory(s.command)), auto.Program(program)}
	if missing && s.file.SecretsProvider != "" && !s.session.Offline {
		options = append(options, auto.SecretsProvider(s.file.SecretsProvider))
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

// Project returns the name of the stack's project.
func (s *Stack) Project() string { return s.session.Project.Name() }

// BackendURL returns the URL of the backend with the stack's state.
func (s *Stack) BackendURL() string { return s.backend.URL }

// File returns the stack's file, or nil for a stack that was opened without one.
func (s *Stack) File() *config.File { return s.file }

// Close releases the resources of the stack's operations.
func (s *Stack) Close() {
	if s.account != nil {
		_ = s.account.Close()
	}
}

// Outputs returns the stack's outputs of its last update, with "[secret]" for what is secret unless
// showSecrets is set.
func (s *Stack) Outputs(ctx context.Context, showSecrets bool) (map[string]any, error) {
	if !showSecrets {
		if err := s.currentState(ctx); err != nil {
			return nil, s.classify(err)
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
	stdout, stderr, _, err := command.Run(ctx, s.workDir, nil, nil, nil, nil, args...)
	if err != nil {
		return "", &engine.Error{Stderr: stderr, Err: err}
	}
	return stdout, nil
}

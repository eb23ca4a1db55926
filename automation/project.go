package automation

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// ProjectOptions configure a project.
type ProjectOptions struct {
	// Dir is a folder in the project. Default: the working directory.
	Dir string
	// WorkDir is the folder for what operations keep: working folders, journals, the offline account and, without another
	// backend, the states. Only its owner can enter it. Default: .hypershift-aws in the project's folder.
	WorkDir string
	// StackTags are the tags that new stacks get in the backend. The tags of AWS resources are in the config. Default:
	// none.
	StackTags map[string]string
	// Backend is the URL of the states' backend. Default: PULUMI_BACKEND_URL, else WorkDir.
	Backend string
	// Offline runs operations against an AWS account in memory, with a separate state; EmptyAccount starts a new one
	// without the resources that the stacks' files refer to.
	Offline, EmptyAccount bool
	// Environ is the environment of the engine and the AWS clients, as in os.Environ. Default: this process's environment.
	Environ []string
	// ParallelOperations is how many operations the engine runs at once. Default: PULUMI_PARALLEL of Environ, else one
	// for each of the stack's resources, at least 8 and at most 32.
	ParallelOperations int
	// Executable is a program beside whose bin/pulumi the engine is searched. Default: none.
	Executable string
	// EngineDirs are folders whose bin/pulumi is used, or the bin/pulumi of the Go module around each. By default there
	// are none, so that no program in the project's folder runs because of its name.
	EngineDirs []string
	// NoInstall fails if no engine is found, instead of installing one. Offline, none is installed either.
	NoInstall bool
	// PricesFile has prices that override this module's, "" for none.
	PricesFile string
	// UnreadStacks are stacks that cannot be read, by their names in messages. The caller asserts that they don't use what
	// an operation changes. Each use is recorded in the journal of consents. By default there are none, and a stack that
	// cannot be read prevents every operation that might harm it.
	UnreadStacks []string
	// Events receives the events of all operations, from several goroutines. Default: they are dropped.
	Events func(Event)
	// Log receives sentences about the environment: that the engine is installed, where the offline account is. Default:
	// they are dropped.
	Log func(sentence string)
	// Interrupts stop all operations of the project. Default: each stack has its own, see Stack.Interrupt.
	Interrupts *Interrupts
	// Program returns the program of a stack, such as one that calls o.Run and registers resources of its own. Default:
	// o.Run. The options are those of one run: a program that does not pass them to package stacks stages no changes of a
	// hosted cluster. Up is limited to the plan of its preview, so that a program must register the same values in both:
	// it draws nothing at random itself.
	Program func(o stacks.Options) pulumi.RunFunc
	// RunEngine runs the engine for the part of an operation that changes the stack, for a program that stands in for the
	// `pulumi` command. It adds environ to the engine's environment, which limits an update to the plan that the gates
	// have judged, sends the engine's events, and closes the channel.
	// Nothing else may work on the stack meanwhile, on any machine. Default: this package runs the engine.
	RunEngine func(environ []string, events chan<- events.EngineEvent) error

	// environment is where the stacks are deployed; nil opens it by the options above. gates are what operations ask: all
	// gates. engineEnviron is added to the engine's environment. Only package automationtest sets these.
	environment   workspace.Environment
	gates         gate.List
	engineEnviron engine.Environ
}

// Project is a folder with the files of stacks. Its methods may be called from several goroutines.
type Project struct {
	options ProjectOptions
	project *project.Project

	mu          sync.Mutex
	environment workspace.Environment
	session     *workspace.Session
}

// Open opens a project. The engine is searched for when the first operation needs it.
func Open(o ProjectOptions) (*Project, error) {
	if o.Dir == "" {
		o.Dir = "."
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.ParallelOperations > 0 {
		o.Environ = engine.Environ(o.Environ).With("PULUMI_PARALLEL", strconv.Itoa(o.ParallelOperations))
	}
	if o.Events == nil {
		o.Events = func(Event) {}
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	p, err := project.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	if o.WorkDir != "" {
		if p.WorkDir, err = filepath.Abs(o.WorkDir); err != nil {
			return nil, fmt.Errorf("finding the folder %s: %w", o.WorkDir, err)
		}
	}
	return &Project{options: o, project: p, environment: o.environment}, nil
}

// Close releases what operations share. No operation may run.
func (p *Project) Close() {
	if p.environment != nil {
		_ = p.environment.Close()
	}
}

// Stacks returns the names of the stacks that have a file, or a content by NewStack, in alphabetical order.
func (p *Project) Stacks() []string { return p.project.Stacks() }

// Stack returns a stack by its name, "" for the only one of the project. Its operations report whether it exists.
func (p *Project) Stack(name string) *Stack {
	s := &Stack{Name: name, project: p, interrupts: p.options.interrupts(), open: &atomic.Bool{}}
	if s.interrupts == nil {
		s.interrupts = engine.NewInterrupts()
	}
	return s
}

// NewStack returns a stack by its name and the content of its file, which the project does not have. At each operation
// the content is written to the stack's working folder, outside of the project's files. Its secrets stay in memory. Two
// processes with the same content and backend see no difference, because the keys by which the state's secrets are
// encrypted are taken from the state. The error has each fault of the content, with its path and value. For the
// Project, later calls of Stack return the stack with this content too.
func (p *Project) NewStack(name string, content config.Content) (*Stack, error) {
	if p.project.Supplied(name) == nil && p.project.HasStackFile(name) {
		return nil, gate.Refuse("stack %s has the file %s: use Project.Stack, or another name", name,
			p.project.StackFile(name))
	}
	text, secrets, err := stacks.Kinds().Encode(content)
	if err != nil {
		return nil, err
	}
	if err := p.project.Supply(name, text, secrets); err != nil {
		return nil, err
	}
	return p.Stack(name), nil
}

// where opens the environment, once. It is called with mu locked, or before the first operation.
func (p *Project) where() (workspace.Environment, error) {
	if p.environment != nil {
		return p.environment, nil
	}
	o := p.options
	var other func(environment.Options) (workspace.Environment, error)
	if o.Offline {
		other = sandbox.InMemory // separable: without it, refuse Offline
	}
	opened, err := environment.Open(other, environment.Options{
		Project: p.project, Environ: o.Environ, Backend: o.Backend, Empty: o.EmptyAccount, Interrupts: o.interrupts(),
	})
	if err == nil {
		p.environment = opened
	}
	return opened, err
}

// open finds the engine, once.
func (p *Project) open(ctx context.Context) (*workspace.Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session != nil {
		return p.session, nil
	}
	o := p.options
	where, err := p.where()
	if err != nil {
		return nil, err
	}
	found, err := engine.Find(ctx, engine.Search{
		Environ: o.Environ, Executable: o.Executable, Dirs: o.EngineDirs, Install: where.Downloads() && !o.NoInstall,
		Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	if introduction := where.Introduction(); introduction != "" {
		o.Log(introduction)
	}
	if ignored := engine.Environ(o.Environ).Options(); len(ignored) > 0 && o.RunEngine == nil {
		o.Events(&NoteEvent{
			Message: "warning: " + strings.Join(ignored, ", ") + " would change what the engine does, and is not passed to it",
		})
	}
	p.session = &workspace.Session{
		Project: p.project, Engine: found, Environ: o.Environ, EngineEnviron: o.engineEnviron, Environment: where,
		Program: o.Program, Copies: run.Copies,
		StackTags: o.StackTags, Gates: o.gates, Unread: &workspace.Unread{Names: o.UnreadStacks}, RunEngine: o.RunEngine,
	}
	return p.session, nil
}

// share returns what operations share, for what is done with all stacks of the project.
func (p *Project) share(ctx context.Context, interrupts *engine.Interrupts) (*workspace.Session, error) {
	shared, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	session := *shared
	session.Interrupts, session.Report = interrupts, func(e report.Event) { p.options.Events(e) }
	return &session, nil
}

// Interrupts stop operations of several stacks or projects in two stages: see Stack.Interrupt. NewInterrupts and
// WatchInterrupts make one.
type Interrupts struct{ engine *engine.Interrupts }

// NewInterrupts returns Interrupts that no signal triggers, only a call of Interrupt.
func NewInterrupts() *Interrupts { return &Interrupts{engine.NewInterrupts()} }

// WatchInterrupts returns Interrupts that SIGINT, SIGTERM and SIGHUP trigger too. Until Close, the first signal does
// not end this process. With a function of OnInterrupt, the second one ends it if it does not end by itself: after 4
// seconds, or after 19 while an engine runs.
func WatchInterrupts() *Interrupts { return &Interrupts{engine.WatchInterrupts()} }

// Close restores the default effect of the signals that WatchInterrupts caught.
func (i *Interrupts) Close() { i.engine.Close() }

// Interrupt has the effect of a signal: the first lets the operations in progress on resources finish, the second
// abandons them.
func (i *Interrupts) Interrupt() { i.engine.Interrupt() }

// OnInterrupt calls a function with 1 for the first interrupt, 2 for the second and so on; nil calls none.
func (i *Interrupts) OnInterrupt(tell func(count int)) { i.engine.OnInterrupt(tell) }

// Hold has the second signal not end this process until release is called: it waits for operations of other processes.
// The third one does.
func (i *Interrupts) Hold() (release func()) { return i.engine.Hold() }

// First returns a channel that is closed at the first interrupt.
func (i *Interrupts) First() <-chan struct{} { return i.engine.First() }

// interrupts returns the project's interrupts, nil if each stack has its own.
func (o ProjectOptions) interrupts() *engine.Interrupts {
	if o.Interrupts == nil {
		return nil
	}
	return o.Interrupts.engine
}

// Stack is a stack of a project. One operation at a time may run on it; operations on different stacks may run at the
// same time.
type Stack struct {
	// Name is the stack's name, "" until the first operation for the only stack of the project.
	Name string
	// Events receives the events of the stack's operations in addition to ProjectOptions.Events; nil for none.
	Events func(Event)

	project    *Project
	interrupts *engine.Interrupts
	// open is true if the last update has begun a change that a further one continues.
	open *atomic.Bool
}

// core returns the stack for one operation, which may find its name: see named.
func (s *Stack) core() *run.Stack {
	return &run.Stack{
		Name: s.Name, Project: s.project.project, Share: s.project.open, Interrupts: s.interrupts, Staged: s.open,
		Events: func(e Event) {
			s.project.options.Events(e)
			if s.Events != nil {
				s.Events(e)
			}
		},
	}
}

// named takes over the name that an operation has found.
func (s *Stack) named(core *run.Stack) { s.Name = core.Name }

// Interrupt stops the stack's operation: the first call lets the operations in progress on resources finish, the second
// abandons them, which the next operation then searches for. After it, a new Stack is needed for further operations.
func (s *Stack) Interrupt() { s.interrupts.Interrupt() }

// Watch runs an operation and returns its events while it runs; the last element has its error, if there is one. A loop
// that ends early interrupts the operation, and waits for its end.
//
//	for event, err := range stack.Watch(func(s *automation.Stack) error { _, err := s.Up(ctx, options); return err }) {
func (s *Stack) Watch(run func(*Stack) error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		events, ended := make(chan Event), make(chan error, 1)
		watched := *s
		watched.Events = func(e Event) {
			if s.Events != nil {
				s.Events(e)
			}
			events <- e
		}
		go func() {
			err := run(&watched)
			close(events)
			ended <- err
		}()
		listening := true
		for e := range events {
			if listening && !yield(e, nil) {
				listening = false
				s.Interrupt()
			}
		}
		if err := <-ended; err != nil && listening {
			yield(nil, err)
		}
	}
}

// StackInfo is a stack of a project that has a file, a state or both.
type StackInfo = backend.Stack

// List lists the stacks of the project: those with a file or a content, and those that the backend has under the
// project's name.
func (p *Project) List(ctx context.Context) ([]StackInfo, error) {
	session, err := p.share(ctx, cmp.Or(p.options.interrupts(), engine.NewInterrupts()))
	if err != nil {
		return nil, err
	}
	found, err := run.List(ctx, session)
	for i := range found {
		found[i].Offline = p.options.Offline
	}
	return found, err
}

// WithLog returns a context for operations that write to log, at level Debug, what they read, ask and decide: requests
// to AWS and to the management cluster with their duration and error, each gate's answer, and each run of the engine
// with its arguments. No line has the content of a request. The engine then also writes a log of its own, to files
// pulumi.* in the folder for temporary files. By default nothing is written.
func WithLog(ctx context.Context, log *slog.Logger) context.Context { return trace.With(ctx, log) }

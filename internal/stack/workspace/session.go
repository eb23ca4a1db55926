// Package workspace is where operations run on a stack: its file, its state in a backend, the engine, and the accounts
// of its providers.
package workspace

import (
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
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
	Environment Environment
	// StackTags are the tags that new stacks get in the backend.
	StackTags map[string]string
	// Copies returns the copies of a state, in the folder in which the stack's engine runs.
	Copies func(file state.File, workDir string) Copies
	// RestoreState restores the newest copy of a state that is damaged, even if it may lack resources.
	RestoreState bool
	// Gates are those that operations ask: all of them, except in tests.
	Gates gate.List
	// Unread are the stacks that the user allows not to be read; nil for none.
	Unread     *Unread
	Interrupts *engine.Interrupts
	// Report receives events; it must not be nil. It is called from several goroutines.
	Report func(report.Event)
	// Program returns the Pulumi program of a stack; nil means the program of package stacks.
	Program func(stacks.Options) pulumi.RunFunc
	// RunEngine runs the engine for the part of an operation that changes the stack, and sends its events; nil is a call
	// of the Automation API.
	RunEngine RunEngine
	// EngineEnviron is added to the environment of the engine, only in tests.
	EngineEnviron engine.Environ

	// Trial is true if the stacks are previewed in an empty account alone, in which no other tool has created anything.
	Trial bool
}

// NewUse returns a use of a flag by the caller now.
func (s *Session) NewUse(stack, flag, value string) consent.Use {
	return consent.New(stacks.Version, stack, flag, value, s.Environ.Get)
}

// ProgramOf returns the program of a stack with what each run tells it.
func (s *Session) ProgramOf(o stacks.Options) pulumi.RunFunc {
	if s.Program == nil {
		return o.Run
	}
	return s.Program(o)
}

// Copies are the copies of a stack's state from before operations of the engine.
type Copies interface {
	// Keep copies the state, and returns when it was written; zero if only the engine can read it.
	Keep() (time.Time, error)
	// Restore restores a state that an engine left damaged; with force, even if the newest copy may lack resources.
	Restore(force bool, report func(report.Event)) error
}

// RunEngine runs an operation of the engine, whose environment has these additions, sends its events, and closes the
// channel. Its owner has proved that nothing else works on the stack, on any machine.
type RunEngine func(environ []string, events chan<- events.EngineEvent) error

// Stack returns a stack with its backend and the command that runs the engine on it; nothing is created or read yet.
func (s *Session) Stack(name string, file *config.File) *Stack {
	stack := &Stack{
		Name: name, Session: s, Backend: s.Environment.Backend(), File: file,
		Command: &engine.Command{
			Engine:     s.Engine,
			Environ:    slices.Concat(s.Environment.Environ(), s.EngineEnviron),
			Interrupts: s.Interrupts,
		},
	}
	stack.Providers = &Providers{stack: stack}
	return stack
}

// Unread are the stacks that the user asserts not to use what an operation changes although they cannot be read. nil is
// none.
type Unread struct {
	// Names are the names of the stacks as messages have them.
	Names []string

	mu       sync.Mutex
	recorded []string
}

// allows reports whether the user names a stack, and whether that is the first use.
func (u *Unread) allows(name string) (allowed, first bool) {
	if u == nil || !slices.Contains(u.Names, name) {
		return false, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	first = !slices.Contains(u.recorded, name)
	u.recorded = append(u.recorded, name)
	return true, first
}

// Consents returns the journal of the project's uses of flags that allow what is refused.
func (s *Session) Consents() consent.Journal {
	return consent.NewJournal(filepath.Join(s.Environment.Folder(), "consents.jsonl"))
}

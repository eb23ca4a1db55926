package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	api "github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Stack is a stack of a project, on which one operation runs at a time.
type Stack struct {
	// Name is the stack's name, "" for the only one of the project until the first operation finds it.
	Name    string
	Project *project.Project
	// Share returns what the operations of a project share: the environment and the engine, which it finds once.
	Share func(context.Context) (*workspace.Session, error)
	// Interrupts stop the operation.
	Interrupts *engine.Interrupts
	// Events receives the events of operations.
	Events func(event.Event)
	// Staged is set to whether the last update has begun a change that a further one continues.
	Staged *atomic.Bool
}

// Operation is one operation on a stack, with what was opened for it. Close it.
type Operation struct {
	*Opened
	Verb    gates.Operation
	Session workspace.Session
	of      *Stack
	stop    func() bool

	mu   sync.Mutex
	took []event.Resource
}

// OpenOptions are what an operation needs to open its stack.
type OpenOptions struct {
	Mode Mode
	// AnyFile ignores what is wrong with the stack's file, and goes on without one: existing resources can always be
	// shown, deleted and released.
	AnyFile bool
	// RestoreState restores the newest copy of an incomplete state.
	RestoreState bool
	// Identify binds the operation's target, and checks that it is the stack's.
	Identify bool
}

// Begin opens the stack for an operation, as Start does.
func (s *Stack) Begin(ctx context.Context, verb gates.Operation, o OpenOptions) (context.Context, *Operation, error) {
	file, unread := s.Load("")
	if unread != nil && (!o.AnyFile || s.Name == "") {
		return ctx, nil, unread
	}
	if file != nil {
		trace.Of(ctx).DebugContext(ctx, "read", "file", file.Path)
	}
	ctx, r, err := s.Start(ctx, verb)
	if err != nil {
		return ctx, nil, err
	}
	if unread == nil && !o.AnyFile && r.Session.Environment.Label() != "" {
		// The API in memory is the embedded one.
		if err := file.Placed(file.Embedded()); err != nil {
			r.Close()
			return ctx, nil, err
		}
	}
	r.Session.RestoreState = o.RestoreState
	if err = r.Open(ctx, file, o.Mode); err == nil && slices.Contains(runsEngine(), verb) {
		r.Stack.Providers.StartAhead(ctx)
	}
	if unread != nil && fault.In(unread) == nil && err != nil {
		err = unread // there is neither a file nor a state
	}
	if err == nil && o.Identify {
		err = r.Connection.Bind(ctx, verb)
	}
	if err != nil {
		r.Close()
	}
	return ctx, r, err
}

// runsEngine are the operations that run the engine soon after they have begun.
func runsEngine() []gates.Operation {
	return []gates.Operation{gates.Up, gates.Preview, gates.Drift, gates.Refresh, gates.Destroy}
}

// Load finds the stack's name and reads its file, for a cluster whose issuer the caller provides: "" for none.
func (s *Stack) Load(issuerURL string) (*config.File, error) {
	name, err := s.Project.SelectStack(s.Name)
	if err != nil {
		return nil, err
	}
	s.Name = name
	return s.Project.LoadStackIssuedBy(name, issuerURL)
}

// Start begins an operation whose stack is opened later, by Open. The returned context does not end with ctx: the end
// of ctx interrupts the operation instead. The operation must be closed.
func (s *Stack) Start(ctx context.Context, verb gates.Operation) (context.Context, *Operation, error) {
	shared, err := s.Share(ctx)
	if err != nil {
		return ctx, nil, err
	}
	r := &Operation{of: s, Verb: verb, Session: *shared, stop: context.AfterFunc(ctx, s.Interrupts.Interrupt)}
	r.Session.Interrupts = s.Interrupts
	r.Session.Report = func(e report.Event) {
		if done, ok := e.(*event.Resource); ok && done.Status == event.StatusDone {
			r.mu.Lock()
			r.took = append(r.took, *done)
			r.mu.Unlock()
		}
		r.Event(e)
	}
	return context.WithoutCancel(ctx), r, nil
}

// Open opens the stack of an operation that Start began. The file may be nil under MustExist.
func (r *Operation) Open(ctx context.Context, file *config.File, mode Mode) (err error) {
	if r.Opened, err = Open(ctx, &r.Session, r.of.Name, file, mode); err == nil {
		r.Engine.verb = r.Verb
	}
	return err
}

// Close releases what the operation holds.
func (r *Operation) Close() {
	r.stop()
	if r.Opened != nil {
		r.Stack.Close()
	}
}

// Event reports an event.
func (r *Operation) Event(e event.Event) { r.of.Events(e) }

// Say reports a sentence.
func (r *Operation) Say(format string, args ...any) {
	r.Event(&api.Message{Text: report.Sentence(format, args...)})
}

// Took returns the operations on resources that have ended since the last change began.
func (r *Operation) Took() []event.Resource {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.took
}

// Ask asks for a decision, and confirms after the answer that the operation's target is still the same. The target of
// Relocate is another management cluster than the recorded one: Relocate itself looks again at what it takes over.
func (r *Operation) Ask(ctx context.Context, decide api.Decide, q api.Question) error {
	if q.Stack = r.Stack.Name; q.Operation == "" {
		q.Operation = r.Verb
	}
	if err := Ask(ctx, decide, q); err != nil || r.Verb == gates.Relocate {
		return err
	}
	return r.Gates.Confirm(ctx, r.Verb)
}

// Ask asks a question. Without a function, and without the answer yes, it returns the error that ends the operation.
func Ask(ctx context.Context, decide api.Decide, q api.Question) error {
	if decide == nil {
		what := string(q.Operation)
		if q.Stack != "" {
			what += " of stack " + q.Stack
		}
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: what + " needs a decision; nothing was changed",
			Remedy:  "set Decide in the options",
		}
	}
	yes, err := decide(ctx, q)
	if err == nil && !yes {
		refused := &failure.Error{Reason: failure.Failed, Problem: "not confirmed; nothing was changed"}
		if q.Stage {
			refused.Problem = "not confirmed; the stage was not begun"
			refused.Remedy = fmt.Sprintf("run `hypershift-aws %s -s %s` again to continue", q.Operation, q.Stack)
		}
		err = refused
	}
	return err
}

// ConfirmCluster fails unless a question about a cluster is answered by the cluster's name, or the given name is the
// cluster's; kind describes it.
func (r *Operation) ConfirmCluster(ctx context.Context, decide api.Decide, given, kind string, q api.Question) error {
	if given == "" {
		return r.Ask(ctx, decide, q)
	}
	if given != q.Name {
		return gate.Refuse("--cluster is %s, but the %s of stack %s is %s", given, kind, r.Stack.Name, q.Name)
	}
	return nil
}

// Refusals asks gates, and reports their warnings. It returns the first refusal, or with every all of them.
func (r *Operation) Refusals(ctx context.Context, every bool, gates ...gate.Gate) []api.Refusal {
	var list []api.Refusal
	for _, a := range r.Session.Gates.AskAll(ctx, r.Verb, every, gates...) {
		for _, warning := range a.Warnings {
			r.Say("warning: %s", warning)
		}
		if a.Refused != nil && (every || len(list) == 0) {
			list = append(list, api.Refusal{Gate: a.Gate, Err: a.Refused})
		}
	}
	return list
}

// StopAt asks gates, and returns the first refusal.
func (r *Operation) StopAt(ctx context.Context, gates ...gate.Gate) error {
	if list := r.Refusals(ctx, false, gates...); len(list) > 0 {
		return list[0].Err
	}
	return nil
}

// RemoveState removes the stack's state, if that is wanted.
func (r *Operation) RemoveState(ctx context.Context, wanted bool) error {
	if !wanted {
		return nil
	}
	if err := Remove(ctx, r.Stack); err != nil {
		return err
	}
	r.Say("removed the state of %s", r.Stack.Name)
	return nil
}

// ReasonOf returns the reason of an operation's error. A GuardError and faults of a stack's file are Refused.
func ReasonOf(err error) failure.Reason {
	var guard *changes.GuardError
	if errors.As(err, &guard) || fault.In(err) != nil {
		return failure.Refused
	}
	return failure.ReasonOf(err)
}

package automation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/forecasting"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/savedplan"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// operation is one operation on a stack.
type operation struct {
	*run.Opened
	of        *Stack
	session   workspace.Session
	operation Operation
	done      func() bool
	// waivers are the accepted violations of policies of an update.
	waivers []forecast.PolicyWaiver

	mu   sync.Mutex
	took []event.Resource
}

// opening is what an operation needs to open its stack.
type opening struct {
	mode run.Mode
	// anyFile ignores what is wrong with the stack's file, and goes on without one: existing resources can always be shown, deleted and released.
	anyFile bool
	// restoreState restores the newest copy of an incomplete state.
	restoreState bool
	// identify resolves the operation's target, and checks that it is the stack's.
	identify bool
}

// begin opens the stack for an operation, as start does.
func (s *Stack) begin(ctx context.Context, op Operation, o opening) (context.Context, *operation, error) {
	file, unread := s.load("")
	if unread != nil && (!o.anyFile || s.Name == "") {
		return ctx, nil, unread
	}
	ctx, r, err := s.start(ctx, op)
	if err != nil {
		return ctx, nil, err
	}
	r.session.RestoreState = o.restoreState
	r.Opened, err = run.Open(ctx, &r.session, s.Name, file, o.mode)
	if unread != nil && fault.In(unread) == nil && err != nil {
		err = unread // there is neither a file nor a state
	}
	if err == nil && o.identify {
		err = r.Connection.Resolve(ctx, op)
	}
	if err != nil {
		r.close()
	}
	return ctx, r, err
}

// load resolves the stack's name and reads its file, for a cluster whose issuer the caller provides: "" for none.
func (s *Stack) load(issuerURL string) (*config.File, error) {
	name, err := s.project.project.ResolveStack(s.Name)
	if err != nil {
		return nil, err
	}
	s.Name = name
	return s.project.project.LoadStackIssuedBy(name, issuerURL)
}

// start begins an operation whose stack is opened later. The returned context does not end with ctx: the end of ctx interrupts the operation
// instead. The run must be closed.
func (s *Stack) start(ctx context.Context, op Operation) (context.Context, *operation, error) {
	shared, err := s.project.open(ctx)
	if err != nil {
		return ctx, nil, err
	}
	r := &operation{of: s, operation: op, session: *shared, done: context.AfterFunc(ctx, s.interrupts.Interrupt)}
	r.session.Interrupts = s.interrupts
	r.session.Report = func(e report.Event) {
		if done, ok := e.(*event.Resource); ok && done.Status == event.StatusDone {
			r.mu.Lock()
			r.took = append(r.took, *done)
			r.mu.Unlock()
		}
		r.event(e)
	}
	return context.WithoutCancel(ctx), r, nil
}

// close releases what the operation holds.
func (r *operation) close() {
	r.done()
	if r.Opened != nil {
		r.Stack.Close()
	}
}

// event reports an event.
func (r *operation) event(e Event) {
	r.of.project.options.Events(e)
	if r.of.Events != nil {
		r.of.Events(e)
	}
}

// say reports a sentence.
func (r *operation) say(format string, args ...any) {
	r.event(&MessageEvent{Text: report.Sentence(format, args...)})
}

// ask asks for a decision, and confirms after the answer that the operation's target is still the same. The target of Relocate
// is another management cluster than the recorded one: Relocate itself looks again at what it takes over.
func (r *operation) ask(ctx context.Context, decide Decide, q Question) error {
	if q.Stack = r.Stack.Name; q.Operation == "" {
		q.Operation = r.operation
	}
	if err := decide.ask(ctx, q); err != nil || r.operation == gates.Relocate {
		return err
	}
	return r.Gates.Confirm(ctx, r.operation)
}

// refusals asks gates, and reports their warnings. It returns the first refusal, or with every all of them.
func (r *operation) refusals(ctx context.Context, every bool, gates ...gate.Gate) []Refusal {
	var list []Refusal
	for _, a := range r.session.Gates.AskAll(ctx, r.operation, every, gates...) {
		for _, warning := range a.Warnings {
			r.say("warning: %s", warning)
		}
		if a.Refused != nil && (every || len(list) == 0) {
			list = append(list, Refusal{Gate: a.Gate, Err: a.Refused})
		}
	}
	return list
}

// stopAt asks gates, and returns the first refusal.
func (r *operation) stopAt(ctx context.Context, gates ...gate.Gate) error {
	if list := r.refusals(ctx, false, gates...); len(list) > 0 {
		return list[0].Err
	}
	return nil
}

// removeState removes the stack's state, if that is wanted.
func (r *operation) removeState(ctx context.Context, wanted bool) error {
	if !wanted {
		return nil
	}
	if err := run.Remove(ctx, r.Stack); err != nil {
		return err
	}
	r.say("removed the state of %s", r.Stack.Name)
	return nil
}

// forecast estimates a plan, and reports both. allow are the guarded resources that an update may replace or delete.
func (r *operation) forecast(p *changes.Plan, allow []string) (*forecasting.Run, error) {
	f, err := r.estimate(p)
	if err != nil {
		return nil, err
	}
	planned := &PlannedEvent{Operation: r.operation, Stack: r.Stack.Name, Plan: p, Forecast: &f.Forecast}
	if guard := (*GuardError)(nil); r.operation != gates.Destroy && errors.As(r.guard(p, allow), &guard) {
		planned.Refused = guard.Refusals
	}
	r.event(planned)
	return f, nil
}

// estimate estimates a plan.
func (r *operation) estimate(p *changes.Plan) (*forecasting.Run, error) {
	prices, err := r.of.project.prices()
	if err != nil {
		return nil, err
	}
	f, err := forecasting.New(forecasting.Inputs{
		Plan: p, Prices: prices, File: r.Stack.File, Waivers: r.waivers, Durations: r.Stack.DurationsFile(), Parallel: engine.Environ(r.of.project.options.Environ).Parallel(),
		Timing: r.session.Environment.Timing(),
	})
	if err != nil {
		r.say("warning: %s", err)
	}
	return f, nil
}

// prices returns the prices of the project's options.
func (p *Project) prices() (price.Table, error) {
	prices, err := price.Effective(p.options.PricesFile)
	if err != nil {
		return prices, &failure.Error{Reason: failure.Refused, Problem: "--prices: " + err.Error(), Cause: err}
	}
	return prices, nil
}

// follow carries a plan out, and records how long its operations take. Where AWS takes no time, nothing is recorded.
func (r *operation) follow(f *forecasting.Run, carryOut func() error) error {
	r.event(&BeganEvent{Remaining: f.Remaining()})
	if !r.session.Environment.Timing().Measured {
		return carryOut()
	}
	r.took = nil
	err := carryOut()
	if unsaved := f.Learn(r.took); unsaved != nil {
		r.say("warning: %s", unsaved)
	}
	return err
}

// describe returns a saved plan of the stack as it is now, without the values that only a preview has. To compare it with another plan, use that
// plan's salt.
func (r *operation) describe(salt []byte) (*savedplan.File, error) {
	text, err := r.session.Project.ReadStackFile(r.Stack.Name)
	if err != nil {
		return nil, fmt.Errorf("reading the config of the plan: %w", err)
	}
	config, err := savedplan.ReadDigests(r.Stack.File.Path, text)
	if err != nil {
		return nil, err
	}
	secrets, err := r.Stack.File.Secrets()
	return &savedplan.File{
		Secrets: savedplan.SecretDigests(salt, secrets), Salt: salt,
		Project: r.session.Project.Name(), Stack: r.Stack.Name, Offline: r.session.Environment.Label() != "", Backend: r.Stack.Backend.URL,
		Made: time.Now().UTC().Truncate(time.Second), Version: stacks.Version, Config: config,
	}, err
}

// savePlan writes a plan for a later update.
func (r *operation) savePlan(path string, p *changes.Plan, drift []changes.Difference) error {
	file, err := r.describe(savedplan.NewSalt())
	if err != nil {
		return err
	}
	file.Engine, file.Drift = p.Engine, drift
	return savedplan.Write(path, file)
}

// readPlan reads a saved plan, and refuses it if it belongs to another stack or config. It returns nil for path "".
func (r *operation) readPlan(path string) (*savedplan.File, error) {
	if path == "" {
		return nil, nil
	}
	file, err := savedplan.Read(path)
	if err != nil {
		return nil, err
	}
	now, err := r.describe(file.Salt)
	if err != nil {
		return nil, err
	}
	return file, file.CheckFor(now)
}

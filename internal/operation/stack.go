// Package operation opens a stack and runs one operation on it with the real Pulumi engine: preview, up, refresh, destroy, and
// the recovery before them. It joins the packages that it is made of (engine, project, state, plan, report, recovery,
// clusterstatus). It is for the CLI, which adds flags and exit codes.
package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
)

// Preview returns what Up would do.
func (s *Stack) Preview(ctx context.Context) (*plan.Plan, error) {
	before, err := s.ResourcesAndProviders(ctx)
	if err != nil {
		return &plan.Plan{}, err
	}
	if err := s.findHeld(ctx); err != nil {
		return &plan.Plan{}, s.classify(err)
	}
	s.reportHeld()
	made, goals, err := s.previewGoals(ctx)
	if err != nil {
		return made, err
	}
	made.Before, made.After = before, made.Leaves(goals, before)
	if made.Protects && len(before) > 0 {
		s.say("up also adds to the state of stack %s what stops `pulumi destroy` under a living cluster", s.Name)
	}
	s.planned = made
	return made, nil
}

func (s *Stack) preview(ctx context.Context, run func(chan<- events.EngineEvent) error) (*plan.Plan, error) {
	op, err := s.operate(ctx, gate.Preview, run)
	op.plan.Summary = op.summary(resultOf(err), s.session.Environment.Label())
	return &op.plan, err
}

// Up updates the stack to match its file, and returns what it did.
func (s *Stack) Up(ctx context.Context, options ...optup.Option) (*plan.Plan, error) {
	if err := s.deletions().Clear(); err != nil { // the cluster is wanted again
		return &plan.Plan{}, err
	}
	s.heldFields = slices.DeleteFunc(s.heldFields, clusterstatus.HeldField.Automatic) // TakeOverTags has taken them over
	if err := s.shareSame(ctx); err != nil {
		return &plan.Plan{}, s.classify(err)
	}
	if err := s.leaveForeign(ctx, s.planned, false); err != nil {
		return &plan.Plan{}, s.classify(err)
	}
	op, err := s.change(ctx, gate.Up, nil, s.runEngine(func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.Up(ctx, append(options, optup.EventStreams(ch), optup.SuppressProgress(), optup.SuppressOutputs())...)
		return err
	}))
	return &op.done, err
}

// runEngine returns the session's way of running the engine, call if it has none.
func (s *Stack) runEngine(call RunEngine) RunEngine {
	if s.session.RunEngine != nil {
		return s.session.RunEngine
	}
	return call
}

// Refresh updates the stack's state to the resources in AWS, and returns the differences. With forgetPending it also
// drops the creations that an earlier run was interrupted while, which the engine cannot search for.
func (s *Stack) Refresh(ctx context.Context, forgetPending bool) (*plan.Plan, error) {
	op, err := s.change(ctx, gate.Refresh, nil, s.runEngine(func(ch chan<- events.EngineEvent) error {
		options := []optrefresh.Option{optrefresh.EventStreams(ch), optrefresh.SuppressProgress(), optrefresh.SuppressOutputs()}
		if forgetPending {
			options = append(options, optrefresh.ClearPendingCreates())
		}
		_, err := s.auto.Refresh(ctx, options...)
		return err
	}))
	if err == nil && forgetPending {
		err = s.journal().Forget()
	}
	return &op.done, err
}

// Destroy carries a deletion out that CheckDeletion has judged, and returns what it did. It deletes all resources of the stack: a hosted cluster first,
// then what its operators left in AWS, then the network and the roles; if the operators left something that the sweep did not delete, it fails after all
// that. While it waits for the hosted cluster, and if it ends before the cluster is deleted, it reports what blocks the deletion.
func (s *Stack) Destroy(ctx context.Context, d *Deletion) (*plan.Plan, error) {
	s.deletion = d
	options := d.options
	var err error
	if options.swept, err = s.sweptCluster(ctx); err != nil {
		return &plan.Plan{}, err
	}
	if options.ManagementGone {
		if err := s.forgetObjects(ctx); err != nil {
			return &plan.Plan{}, err
		}
	}
	endWatch := s.watchDeletion(ctx)
	op, err := s.destroyCluster(ctx, options)
	var stays error
	if err == nil {
		stays = s.sweepLeftovers(ctx, options)
		if endsDestroy(stays) {
			err, stays = stays, nil
		} else {
			op, err = s.destroyAll(ctx, op)
		}
	}
	endWatch(err != nil)
	if err == nil {
		err = s.deletions().Clear()
	}
	remains, unknown := s.session.Environment.Remains(err == nil)
	for _, sentence := range remains {
		s.say("%s", sentence)
	}
	return &op.done, errors.Join(err, unknown, stays)
}

// destroyAll deletes all resources of the state, and those that earlier runs were stopped while creating and that AWS shows only now.
func (s *Stack) destroyAll(ctx context.Context, before *operation) (*operation, error) {
	if err := s.currentState(ctx); err != nil {
		return before, err
	}
	providers := slices.DeleteFunc(slices.Clone(s.state.Resources), func(r *state.Resource) bool { return r.Type != "pulumi:providers:aws" })
	for {
		op, err := s.change(ctx, gate.Destroy, before, s.runEngine(func(ch chan<- events.EngineEvent) error {
			_, err := s.auto.Destroy(ctx, optdestroy.EventStreams(ch), optdestroy.SuppressProgress(), optdestroy.SuppressOutputs())
			return err
		}))
		if err != nil || s.session.Interrupts.Count() > 0 {
			return op, err
		}
		added, err := s.searchAgain(ctx, providers)
		if err != nil {
			s.say("%s", err)
		}
		if !added {
			return op, nil
		}
		before = op
	}
}

// Remove removes the stack's state, which must be empty. The stack's file stays.
func (s *Stack) Remove(ctx context.Context) error {
	if _, err := s.run(ctx, "stack", "rm", "--yes", "--preserve-config", "--stack", s.Name); err != nil {
		return s.classify(err)
	}
	return nil
}

// Locks lists the locks on the stack, if the backend shows them.
func (s *Stack) Locks() ([]state.Lock, error) {
	return state.ReadLocks(s.backend.Folder(), s.session.Project.Name(), s.Name, s.engines())
}

// ShowsLocks reports whether Locks can see the backend's locks.
func (s *Stack) ShowsLocks() bool { return s.backend.Folder() != "" }

// Cancel releases the stack's lock, including a lock of another process.
func (s *Stack) Cancel(ctx context.Context) error {
	if _, err := s.run(ctx, "cancel", "--yes", "--stack", s.Name); err != nil {
		return s.classify(err)
	}
	if err := s.currentState(ctx); err != nil {
		return err
	}
	if s.ShowsLocks() || len(s.state.Pending) == 0 {
		return nil
	}
	return s.journal().Cancelled(s.state.Written())
}

func (s *Stack) shownOutputs(ctx context.Context) (map[string]any, error) {
	text, err := s.run(ctx, "stack", "output", "--json", "--show-secrets", "--stack", s.Name)
	if err != nil {
		return nil, err
	}
	var outputs map[string]any
	if err := json.Unmarshal([]byte(text), &outputs); err != nil {
		return nil, fmt.Errorf("reading the outputs of stack %s: %w", s.Name, err)
	}
	return outputs, nil
}

// change runs an operation that changes the state, and reports how it ended. It continues the operation before, nil for none.
func (s *Stack) change(
	ctx context.Context, name gate.Operation, before *operation, run func(chan<- events.EngineEvent) error,
) (*operation, error) {
	op, err := s.changePart(ctx, name, before, run)
	if op.seen {
		op.done.Summary = op.summary(resultOf(err), s.session.Environment.Label())
		s.session.Report(op.done.Summary)
	}
	return op, err
}

// changePart is like change, but does not report the end.
func (s *Stack) changePart(
	ctx context.Context, name gate.Operation, before *operation, run func(chan<- events.EngineEvent) error,
) (*operation, error) {
	nothing := newOperation(name, s.Name, s.session.Report, time.Now)
	release, err := s.exclude()
	if err != nil {
		return nothing, err
	}
	defer release()
	refresh := name == gate.Refresh // reads AWS: what earlier runs left unfinished stays in the journal
	if !refresh {
		err = s.stillSettled()
	}
	written := time.Time{}
	if err == nil {
		written, err = s.backup().Keep()
	}
	if err == nil && !refresh {
		err = s.began(ctx, written)
	}
	if err != nil {
		return nothing, err
	}
	op, err := s.operate(ctx, name, run)
	if before != nil {
		op.began, op.seen, op.done.Steps = before.began, op.seen || before.seen, plan.Continued(before.done.Steps, op.done.Steps)
	}
	s.stateChanged()
	if err == nil && !refresh {
		err = s.journal().Clear()
	}
	if !op.dead && !refresh && name != gate.Destroy && s.session.Interrupts.Count() == 0 {
		// The next run searches for creations that are not found, or cannot be searched for, now.
		if _, again := s.searchAgain(ctx, nil); again != nil {
			s.say("%s", again)
		}
	}
	op.done.Summary = op.summary(resultOf(err), s.session.Environment.Label())
	return op, err
}

func resultOf(err error) string {
	switch {
	case err == nil:
		return "succeeded"
	case failure.ReasonOf(err) == failure.Interrupted:
		return "stopped"
	}
	return "failed"
}

// operate runs the engine and follows its events to the last one. If an update fails only because AWS does not yet return what it has just
// created, it runs the engine again, a few times; if it fails only because AWS no longer has what it deletes, it forgets that and runs again.
func (s *Stack) operate(ctx context.Context, name gate.Operation, run func(chan<- events.EngineEvent) error) (*operation, error) {
	op := newOperation(name, s.Name, s.session.Report, time.Now)
	if !op.name.Dry() {
		op.journal = s.journal()
	}
	if err := s.checkCredentials(ctx); err != nil {
		return op, err
	}
	if err := s.attach(); err != nil {
		return op, err
	}
	err := s.confirmed(ctx, op, run)
	for attempt := 0; err != nil && op.onlyLate() && s.session.Interrupts.Count() == 0 && s.awaitPropagation(ctx, op, attempt); attempt++ {
		s.stateChanged()
		err = s.confirmed(ctx, op, run)
	}
	if err != nil && op.onlyMissing() && s.session.Interrupts.Count() == 0 {
		if err = s.forgetMissing(ctx, op); err == nil {
			err = s.confirmed(ctx, op, run)
		}
	}
	return op, s.ended(op, err)
}

// confirmed runs the engine once, directly after it has confirmed the target of an operation that changes something. One that changes nothing only
// needs credentials of the right accounts.
func (s *Stack) confirmed(ctx context.Context, op *operation, run func(chan<- events.EngineEvent) error) error {
	var err error
	switch {
	case !op.name.Dry():
		err = s.Confirm(ctx, op.name)
	case s.target == nil:
		_, err = s.resolveAccounts(ctx)
	}
	if err != nil {
		return err
	}
	return s.follow(op, run)
}

// follow runs the engine once, and follows its events to the last one.
func (s *Stack) follow(op *operation, run func(chan<- events.EngineEvent) error) error {
	ch := make(chan events.EngineEvent)
	closed := make(chan struct{})
	began := make(chan struct{})
	go func() {
		defer close(closed)
		first := true
		for event := range ch {
			if first {
				first = false
				close(began)
			}
			op.handle(event)
		}
	}()
	err := run(ch)
	if err == nil && !op.name.Dry() && s.session.Interrupts.Count() > 0 {
		err = engine.ErrInterrupted // an engine that stops between two deletions exits with code 0
	}
	select {
	case <-began:
		// The engine has ended; its last events are still being read.
		<-closed
	default:
		// The engine ended before its first event, and the channel is never closed.
	}
	return err
}

// ended reports how an operation ended.
func (s *Stack) ended(op *operation, err error) error {
	if err == nil {
		return nil
	}
	if s.session.Interrupts.Count() > 0 && op.seen {
		return s.stopped(op, err)
	}
	if len(op.failures) == 0 && op.seen && strings.TrimSpace(engine.Stderr(err)) == "" {
		return s.engineExited(op, err)
	}
	if len(op.failures) == 0 {
		return s.classify(err)
	}
	classified := s.classify(err)
	if failure.ReasonOf(classified) != failure.Failed {
		return classified
	}
	e := &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("%s of stack %s failed: see above", op.name, s.Name), Reported: op.failures, Cause: err}
	if op.stateUnwritten {
		e.Code = failure.CodeBackend
		e.Problem = fmt.Sprintf("the state of stack %s cannot be written to %s: see above", s.Name, s.backend.URL)
		e.Remedy = fmt.Sprintf("check the backend, its free space and the credentials for it, and run `hypershift-aws %s -s %s` again: "+
			"it finds resources created in the meantime, and continues", op.name, s.Name)
		return e
	}
	if !op.name.Dry() {
		e.Remedy = fmt.Sprintf("all completed operations are in the state; run `hypershift-aws %s -s %s` again to continue", op.name, s.Name)
	}
	return e
}

// engineExited returns the error of an engine that ended without an error message: it was killed.
func (s *Stack) engineExited(op *operation, cause error) error {
	op.dead = true
	e := &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("the engine exited unexpectedly during %s of stack %s", op.name, s.Name), Cause: cause}
	if list := op.underWay(); !op.name.Dry() && len(list) > 0 {
		e.Problem += "; in progress: " + strings.Join(list, ", ")
		e.Remedy = fmt.Sprintf("run `hypershift-aws %s -s %s` again: it finds what was in progress, and continues", op.name, s.Name)
	}
	return e
}

func (s *Stack) stopped(op *operation, cause error) error {
	if op.name.Dry() {
		return &failure.Error{Reason: failure.Interrupted, Problem: "stopped; nothing was changed", Cause: cause}
	}
	c := op.done.Counts()
	e := &failure.Error{
		Reason: failure.Interrupted,
		Problem: fmt.Sprintf("stopped; %d created, %d updated, %d replaced and %d deleted resources are in the state",
			c.Created, c.Updated, c.Replaced, c.Deleted),
		Remedy: fmt.Sprintf("run `hypershift-aws %s -s %s` again to continue", op.name, s.Name),
		Cause:  cause,
	}
	if len(op.started) > 0 {
		e.Problem += "; abandoned: " + strings.Join(op.underWay(), ", ")
		e.Remedy += ": it searches for what was abandoned"
	}
	return e
}

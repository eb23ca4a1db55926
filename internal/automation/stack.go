package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Preview returns what Up would do.
func (s *Stack) Preview(ctx context.Context) (*plan.Plan, error) {
	before, err := s.ResourcesAndProviders(ctx)
	if err != nil {
		return &plan.Plan{}, err
	}
	made, goals, err := s.previewGoals(ctx)
	if err != nil {
		return made, err
	}
	made.Before, made.After = before, made.Leaves(goals, before)
	return made, nil
}

// PreviewDestroy returns what Destroy would delete.
func (s *Stack) PreviewDestroy(ctx context.Context) (*plan.Plan, error) {
	before, err := s.ResourcesAndProviders(ctx)
	if err != nil {
		return &plan.Plan{}, err
	}
	made, err := s.preview(ctx, func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.PreviewDestroy(ctx, optdestroy.EventStreams(ch), optdestroy.SuppressOutputs())
		return err
	})
	made.Before = before
	made.After = slices.DeleteFunc(slices.Clone(before), func(r apitype.ResourceV3) bool { return made.Deletes(string(r.URN)) })
	return made, err
}

func (s *Stack) preview(ctx context.Context, run func(chan<- events.EngineEvent) error) (*plan.Plan, error) {
	return s.dryRun(ctx, "preview", run)
}

func (s *Stack) dryRun(ctx context.Context, name string, run func(chan<- events.EngineEvent) error) (*plan.Plan, error) {
	op, err := s.operate(ctx, name, run)
	op.plan.Summary = op.summary(resultOf(err), s.session.Offline)
	return &op.plan, err
}

// Up updates the stack to match its file, and returns what it did.
func (s *Stack) Up(ctx context.Context) (*plan.Plan, error) { return s.up(ctx) }

func (s *Stack) up(ctx context.Context, options ...optup.Option) (*plan.Plan, error) {
	op, err := s.change(ctx, "up", nil, func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.Up(ctx, append(options, optup.EventStreams(ch), optup.SuppressProgress(), optup.SuppressOutputs())...)
		return err
	})
	return &op.done, err
}

// Refresh updates the stack's state to the resources in AWS, and returns the differences. With forgetPending it also
// drops the creations that an earlier run abandoned, which the engine cannot search for.
func (s *Stack) Refresh(ctx context.Context, forgetPending bool) (*plan.Plan, error) {
	op, err := s.change(ctx, "refresh", nil, func(ch chan<- events.EngineEvent) error {
		options := []optrefresh.Option{optrefresh.EventStreams(ch), optrefresh.SuppressProgress(), optrefresh.SuppressOutputs()}
		if forgetPending {
			options = append(options, optrefresh.ClearPendingCreates())
		}
		_, err := s.auto.Refresh(ctx, options...)
		return err
	})
	if err == nil && forgetPending {
		err = s.journal().Forget()
	}
	return &op.done, err
}

// Destroy deletes all resources of the stack, and returns what it did: a hosted cluster first, then what its operators left in AWS, then
// the network and the roles. While it waits for the hosted cluster, and if it ends before the cluster is deleted, it reports what blocks
// the deletion.
func (s *Stack) Destroy(ctx context.Context, options DestroyOptions) (*plan.Plan, error) {
	if options.ManagementDeleted {
		if err := s.forgetObjects(ctx); err != nil {
			return &plan.Plan{}, err
		}
	}
	endWatch := s.watchDeletion(ctx)
	op, err := s.destroyCluster(ctx, options)
	if err == nil {
		s.sweepLeftovers(ctx, options)
		op, err = s.change(ctx, "destroy", op, func(ch chan<- events.EngineEvent) error {
			_, err := s.auto.Destroy(ctx, optdestroy.EventStreams(ch), optdestroy.SuppressProgress(), optdestroy.SuppressOutputs())
			return err
		})
	}
	endWatch(err != nil)
	switch {
	case !s.session.Offline:
	case err == nil:
		err = s.reportOffline(inmemory.Rest)
	default:
		err = errors.Join(err, s.reportOffline(inmemory.Operators))
	}
	return &op.done, err
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
	return state.ReadLocks(s.backend.Folder(), s.session.Project.Name(), s.Name)
}

// ShowsLocks reports whether Locks can see the backend's locks.
func (s *Stack) ShowsLocks() bool { return s.backend.Folder() != "" }

// Cancel releases the stack's lock, including a lock of another process.
func (s *Stack) Cancel(ctx context.Context) error {
	if _, err := s.run(ctx, "cancel", "--yes", "--stack", s.Name); err != nil {
		return s.classify(err)
	}
	return nil
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
	ctx context.Context, name string, before *operation, run func(chan<- events.EngineEvent) error,
) (*operation, error) {
	op, err := s.changePart(ctx, name, before, run)
	if op.seen {
		op.done.Summary = op.summary(resultOf(err), s.session.Offline)
		s.session.Report(op.done.Summary)
	}
	return op, err
}

// changePart is like change, but does not report the end.
func (s *Stack) changePart(
	ctx context.Context, name string, before *operation, run func(chan<- events.EngineEvent) error,
) (*operation, error) {
	if err := s.backup().Keep(); err != nil {
		return newOperation(name, s.Name, s.session.Report, time.Now), err
	}
	op, err := s.operate(ctx, name, run)
	if before != nil {
		op.began, op.seen, op.done.Steps = before.began, op.seen || before.seen, slices.Concat(before.done.Steps, op.done.Steps)
	}
	s.stateChanged()
	if err == nil {
		err = s.journal().Clear()
	}
	if !op.dead && s.session.Interrupts.Count() == 0 {
		// The next run searches for creations that are not found, or cannot be searched for, now.
		if again := s.searchAgain(ctx, name == "destroy"); again != nil {
			s.session.Report(&report.NoteEvent{Message: again.Error()})
		}
	}
	op.done.Summary = op.summary(resultOf(err), s.session.Offline)
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
// created, it runs the engine again, a few times.
func (s *Stack) operate(ctx context.Context, name string, run func(chan<- events.EngineEvent) error) (*operation, error) {
	op := newOperation(name, s.Name, s.session.Report, time.Now)
	if !op.dry() {
		op.journal = s.journal()
	}
	if err := s.checkCredentials(ctx); err != nil {
		return op, err
	}
	if err := s.attachOffline(); err != nil {
		return op, err
	}
	err := s.follow(op, name, run)
	for attempt := 0; err != nil && op.onlyLate() && s.session.Interrupts.Count() == 0 && s.awaitPropagation(ctx, op, attempt); attempt++ {
		err = s.follow(op, name, run)
	}
	return op, s.ended(op, err)
}

// follow runs the engine once, and follows its events to the last one.
func (s *Stack) follow(op *operation, name string, run func(chan<- events.EngineEvent) error) error {
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
	if err == nil && !op.dry() && s.session.Interrupts.Count() > 0 {
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
	if op.stateUnwritten() {
		e.Code = failure.CodeBackend
		e.Problem = fmt.Sprintf("the state of stack %s cannot be written to %s: see above", s.Name, s.backend.URL)
		e.Remedy = fmt.Sprintf("free disk space, and run `hypershift-aws %s -s %s` again: it finds resources created in the meantime, and continues", op.name, s.Name)
		return e
	}
	if !op.dry() {
		e.Remedy = fmt.Sprintf("all completed operations are in the state; run `hypershift-aws %s -s %s` again to continue", op.name, s.Name)
	}
	return e
}

// engineExited returns the error of an engine that ended without an error message: it was killed.
func (s *Stack) engineExited(op *operation, cause error) error {
	op.dead = true
	e := &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("the engine exited unexpectedly during %s of stack %s", op.name, s.Name), Cause: cause}
	if list := op.underWay(); !op.dry() && len(list) > 0 {
		e.Problem += "; in progress: " + strings.Join(list, ", ")
		e.Remedy = fmt.Sprintf("run `hypershift-aws %s -s %s` again: it finds what was in progress, and continues", op.name, s.Name)
	}
	return e
}

func (s *Stack) stopped(op *operation, cause error) error {
	if op.dry() {
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

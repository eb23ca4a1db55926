package run

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/heldfields"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// Engine runs the engine on a stack.
type Engine struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
	Gates      *life.Gates
	Conflicts  *heldfields.Conflicts
	Recovery   *Recovery
	// verb is the operation that the user has asked for.
	verb gates.Operation
	// resources is how many resources the stack has before and after the last preview, 0 if there was none.
	resources int
	// planned is the last preview. The next operation records which of its resources AWS has already.
	planned *changes.Plan
	// previewed are the paths of held fields that the preview of planned left as they are.
	previewed map[string][]string
	// ahead lists what AWS has of planned while the gates are asked; nil if nothing does.
	ahead *listing
	// existed are the IDs by type that AWS had with the tags of what the operation then created.
	existed map[string][]string
}

// Drift compares the stack's resources in AWS with its state: in the returned plan, an update is a resource that was
// changed outside the stack, and a deletion is one that no longer exists. Neither AWS nor the state is changed.
func (r *Engine) Drift(ctx context.Context) (*changes.Plan, error) {
	op, err := r.operate(ctx, gates.Drift, nil, func(ch chan<- events.EngineEvent) error {
		_, err := r.Stack.Auto.PreviewRefresh(ctx, optrefresh.EventStreams(ch), optrefresh.SuppressOutputs())
		return err
	})
	op.plan.Summary = op.summary(resultOf(err), r.Stack.Session.Environment.Label())
	return &op.plan.Plan, err
}

// previewGoals previews an update, without some resources and what depends on them. It returns the plan, and the
// program's inputs of each resource.
func (r *Engine) previewGoals(ctx context.Context, without ...string) (*changes.Plan, plan.Goals, error) {
	file, remove, err := planFile(r.Stack)
	if err != nil {
		return &changes.Plan{}, nil, err
	}
	defer remove()
	if r.Connection.Silent != nil { // the Kubernetes provider would wait for half a minute, several times
		environ := r.Stack.Command.Environ
		r.Stack.Command.Environ = environ.With("PULUMI_K8S_CLIENT_TIMEOUT", "1")
		defer func() { r.Stack.Command.Environ = environ }()
	}
	made, err := r.preview(ctx, func(ch chan<- events.EngineEvent) error {
		options := []optpreview.Option{optpreview.EventStreams(ch), optpreview.SuppressOutputs(), optpreview.Plan(file)}
		if len(without) > 0 {
			options = append(options, optpreview.Exclude(without), optpreview.ExcludeDependents())
		}
		_, err := r.Stack.Auto.Preview(ctx, options...)
		return err
	})
	if err != nil {
		return &made.Plan, nil, err
	}
	goals, text, err := plan.ReadGoals(file)
	made.Engine = text
	if err != nil {
		return &made.Plan, nil, fmt.Errorf("reading the plan of stack %s: %w", r.Stack.Name, err)
	}
	return &made.Plan, goals, made.Check(goals)
}

// UpByPlan is like Up, limited to a plan that an earlier preview has made (see changes.Plan.Engine): the engine refuses
// each step that is not in it.
func (r *Engine) UpByPlan(ctx context.Context, engine []byte, options ...optup.Option) (*changes.Plan, error) {
	reviewed := &changes.Plan{Engine: engine}
	if r.planned != nil {
		*reviewed = *r.planned
		reviewed.Engine = engine
	}
	r.planned = reviewed
	return r.Up(ctx, options...)
}

// Preview returns what Up would do.
func (r *Engine) Preview(ctx context.Context) (*changes.Plan, error) {
	before, err := r.Stack.ResourcesAndProviders(ctx)
	if err != nil {
		return &changes.Plan{}, err
	}
	if err := r.Conflicts.Find(ctx); err != nil {
		return &changes.Plan{}, r.Stack.Classify(err)
	}
	r.Conflicts.Report()
	made, goals, err := r.previewGoals(ctx)
	if err != nil {
		return made, err
	}
	r.ahead, r.resources = nil, max(len(before), len(goals))
	made.Before, made.After = before, plan.Leaves(made, goals, before)
	if made.Protects && len(before) > 0 {
		r.Stack.Say("up also adds a guard to the state of stack %s, so that a plain `pulumi destroy` cannot delete what a running cluster needs", r.Stack.Name)
	}
	r.planned, r.previewed = made, r.Conflicts.Paths()
	return made, nil
}

// preview previews an operation. The caller checks the recorded plan.
func (r *Engine) preview(ctx context.Context, run func(chan<- events.EngineEvent) error) (*plan.Builder, error) {
	op, err := r.operate(ctx, gates.Preview, nil, run)
	op.plan.Summary = op.summary(resultOf(err), r.Stack.Session.Environment.Label())
	return &op.plan, err
}

// Up updates the stack to match its file, and returns what it did. The engine is limited to the plan of the last
// preview, if there was one: it refuses each step that is not in it.
func (r *Engine) Up(ctx context.Context, options ...optup.Option) (*changes.Plan, error) {
	if err := r.Gates.Confirmed().Clear(); err != nil { // the cluster is wanted again
		return &changes.Plan{}, err
	}
	r.Conflicts.DropAutomatic()
	if err := r.Conflicts.ShareSame(ctx); err != nil {
		return &changes.Plan{}, r.Stack.Classify(err)
	}
	if err := r.Conflicts.LeaveForeign(ctx, r.planned, false); err != nil {
		return &changes.Plan{}, r.Stack.Classify(err)
	}
	judged := r.planned
	taken := r.taken()
	again := len(taken) > 0
	op, err := r.change(ctx, gates.Up, nil, func(ch chan<- events.EngineEvent) error {
		file := ""
		if judged != nil && len(judged.Engine) > 0 {
			limit, remove, err := r.constraint(ctx, judged, again, func(step *changes.Step) bool {
				return step.Change == changes.Update && taken[props.Map(step.New).String("kind")+"/"+heldfields.NameOf(step.New)]
			})
			if err != nil {
				return err
			}
			defer remove()
			file = limit
		}
		again = true // a retry has a plan of its own
		return r.runEngine(gates.Up, file, func(ch chan<- events.EngineEvent) error {
			options := append(slices.Clone(options), optup.EventStreams(ch), optup.SuppressProgress(),
				optup.SuppressOutputs(), optup.UserAgent(r.Stack.Session.Agent()))
			if file != "" {
				options = append(options, optup.Plan(file))
			}
			_, err := r.Stack.Auto.Up(ctx, options...)
			return err
		})(ch)
	})
	if err == nil {
		r.tellTwins(ctx, judged, r.existed)
	}
	return &op.done.Plan, err
}

// UpWithout updates the stack, without some resources and what depends on them, after a preview that imports resources:
// an adoption. The engine is limited to a plan of these resources, which may have no step that the preview lacks.
func (r *Engine) UpWithout(ctx context.Context, urns []string) error {
	if err := r.Conflicts.ShareSame(ctx); err != nil {
		return r.Stack.Classify(err)
	}
	if err := r.Conflicts.LeaveForeign(ctx, r.planned, true); err != nil {
		return r.Stack.Classify(err)
	}
	judged := r.planned
	_, err := r.change(ctx, gates.Adopt, nil, func(ch chan<- events.EngineEvent) error {
		none := func(*changes.Step) bool { return false }
		file, remove, err := r.constraint(ctx, judged, true, none, urns...)
		if err != nil {
			return err
		}
		defer remove()
		options := []optup.Option{optup.EventStreams(ch), optup.SuppressProgress(), optup.SuppressOutputs(),
			optup.UserAgent(r.Stack.Session.Agent()), optup.Plan(file)}
		if len(urns) > 0 {
			options = append(options, optup.Exclude(urns), optup.ExcludeDependents())
		}
		_, err = r.Stack.Auto.Up(ctx, options...)
		return err
	})
	return err
}

// runEngine returns the session's way of running the engine for the operation that the user has asked for, and call for
// another, such as the refresh before an update, and if the session has none. Either way the engine's Kubernetes
// providers use the contexts that were selected when the operation began. file is the plan that the engine is limited
// to, "" for none.
func (r *Engine) runEngine(
	name gates.Operation,
	file string,
	call func(chan<- events.EngineEvent) error,
) func(chan<- events.EngineEvent) error {
	front := r.Stack.Session.RunEngine
	if front == nil || name != r.verb {
		return call // by a command that calls Pin itself
	}
	return func(ch chan<- events.EngineEvent) error {
		environ, ended, err := r.prepare([]string{string(name)})
		if err != nil {
			close(ch)
			return err
		}
		defer ended()
		if file != "" {
			environ = append(environ, engine.PlanVariable+"="+file)
		}
		return front(environ, ch)
	}
}

// prepareOwn implements engine.Command.Prepare: an engine of this program also uses the AWS provider that was started
// ahead of it.
func (r *Engine) prepareOwn(ctx context.Context, args []string) (engine.Prepared, error) {
	environ, ended, err := r.prepare(args)
	if err != nil {
		return engine.Prepared{}, err
	}
	attached, added := r.Stack.Providers.Attached(ctx, args)
	if attached == nil {
		return engine.Prepared{Environ: environ, Ended: ended}, nil
	}
	return engine.Prepared{
		Environ: append(environ, added...), Open: []*os.File{attached.Life},
		Ended: func() {
			attached.End()
			ended()
		},
	}, nil
}

// prepare prepares an engine: see binding.Connection.Pin. The engine also gets Parallel.
func (r *Engine) prepare(args []string) (environ []string, ended func(), err error) {
	environ, ended, err = r.Connection.Pin(args)
	return append(environ, r.Stack.Session.Environ.OwnParallel(r.count())...), ended, err
}

// Parallel returns how many operations the engine runs at once: by default, it depends on how many resources the stack
// has, or will have.
func (r *Engine) Parallel() int { return r.Stack.Session.Environ.Parallel(r.count()) }

// count returns how many resources the stack has, or will have after the last preview; 0 if that is not known.
func (r *Engine) count() int {
	if state := r.Stack.LastState(); state != nil {
		return max(r.resources, len(state.Resources))
	}
	return r.resources
}

// Refresh updates the stack's state to the resources in AWS, and returns the differences. With forgetPending it also
// drops the creations that an earlier run was interrupted while, which the engine cannot search for.
func (r *Engine) Refresh(ctx context.Context, forgetPending bool) (*changes.Plan, error) {
	if err := keysExist(ctx, r.Stack, r.Connection, gates.Refresh); err != nil {
		return &changes.Plan{}, err
	}
	op, err := r.change(ctx, gates.Refresh, nil, r.runEngine(gates.Refresh, "", func(ch chan<- events.EngineEvent) error {
		options := []optrefresh.Option{optrefresh.EventStreams(ch), optrefresh.SuppressProgress(),
			optrefresh.SuppressOutputs(), optrefresh.UserAgent(r.Stack.Session.Agent())}
		if forgetPending {
			options = append(options, optrefresh.ClearPendingCreates())
		}
		_, err := r.Stack.Auto.Refresh(ctx, options...)
		return err
	}))
	if err == nil && forgetPending {
		err = recovery.NewJournal(r.Stack.WorkDir).Forget()
	}
	return &op.done.Plan, err
}

// change runs an operation that changes the state, and reports how it ended. It continues the operation before, nil for
// none.
func (r *Engine) change(
	ctx context.Context, name gates.Operation, before *engineRun, run func(chan<- events.EngineEvent) error,
) (*engineRun, error) {
	op, err := r.changePart(ctx, name, before, run)
	r.summarize(op, err)
	return op, err
}

// summarize reports the end of an operation.
func (r *Engine) summarize(op *engineRun, err error) {
	if op.seen {
		op.done.Summary = op.summary(resultOf(err), r.Stack.Session.Environment.Label())
		r.Stack.Session.Report(op.done.Summary)
	}
}

// changePart is like change, but does not report the end.
func (r *Engine) changePart(
	ctx context.Context, name gates.Operation, before *engineRun, run func(chan<- events.EngineEvent) error,
) (*engineRun, error) {
	nothing := newEngineRun(name, r.Stack.Name, r.Stack.Session.Report, time.Now)
	release, err := r.Stack.Exclude()
	if err != nil {
		return nothing, err
	}
	defer release()
	refresh := name == gates.Refresh // reads AWS: what earlier runs left unfinished stays in the journal
	if !refresh {
		err = r.Recovery.stillSettled()
	}
	written := time.Time{}
	if err == nil {
		written, err = recovery.NewBackup(r.Stack.StateFile(), r.Stack.WorkDir).Keep()
	}
	if err == nil && !refresh {
		err = r.began(ctx, written)
	}
	if err != nil {
		return nothing, err
	}
	op, err := r.operate(ctx, name, before, run)
	if before != nil {
		op.began, op.seen = before.began, op.seen || before.seen
	}
	r.Stack.StateChanged()
	if err == nil && !refresh {
		err = recovery.NewJournal(r.Stack.WorkDir).Clear()
	}
	if !op.dead && !refresh && name != gates.Destroy && r.Stack.Session.Interrupts.Count() == 0 {
		// The next run searches for creations that are not found, or cannot be searched for, now.
		if _, again := r.Recovery.searchAgain(ctx, nil); again != nil {
			r.Stack.Say("%s", again)
		}
	}
	op.done.Summary = op.summary(resultOf(err), r.Stack.Session.Environment.Label())
	return op, err
}

// operate runs the engine and follows its events to the last one. If an update fails only because AWS does not yet
// return what it has just created, it runs the engine again, a few times; if it fails only because AWS no longer has
// what it deletes, it forgets that and runs again. before is the earlier part of the operation, nil if there is none:
// what it did counts too.
func (r *Engine) operate(
	ctx context.Context,
	name gates.Operation,
	before *engineRun,
	run func(chan<- events.EngineEvent) error,
) (*engineRun, error) {
	op := newEngineRun(name, r.Stack.Name, r.Stack.Session.Report, time.Now)
	if !op.name.Dry() {
		op.journal = recovery.NewJournal(r.Stack.WorkDir)
	}
	if err := r.Stack.Providers.CheckCredentials(ctx); err != nil {
		return op, err
	}
	if err := r.Stack.Providers.Attach(); err != nil {
		return op, err
	}
	if name == gates.Drift || name == gates.Refresh {
		if err := r.Stack.CurrentState(ctx); err != nil {
			return op, err
		}
		resources := r.Stack.State.InCloud()
		op.own = func(step *changes.Step) bool { return plan.Own(step, resources) }
	}
	op.stopped = func() bool { return r.Stack.Session.Interrupts.Count() > 0 }
	op.expires = func() { r.Stack.Session.Interrupts.Abandon(int(r.Stack.EnginePID.Load())) }
	err := r.confirmed(ctx, op, run)
	for attempt := 0; err != nil && op.onlyLate() && r.Stack.Session.Interrupts.Count() == 0 &&
		r.awaitPropagation(ctx, op, attempt); attempt++ {
		r.Stack.StateChanged()
		err = r.confirmed(ctx, op, run)
	}
	if err != nil && op.onlyMissing() && r.Stack.Session.Interrupts.Count() == 0 {
		if err = r.forgetMissing(ctx, op); err == nil {
			err = r.confirmed(ctx, op, run)
		}
	}
	if before != nil {
		op.done.Steps = plan.Continued(before.done.Steps, op.done.Steps)
	}
	return op, r.ended(op, err)
}

// confirmed runs the engine once, directly after it has confirmed the target of an operation that changes something.
// One that changes nothing only needs credentials of the right accounts.
func (r *Engine) confirmed(ctx context.Context, op *engineRun, run func(chan<- events.EngineEvent) error) error {
	var err error
	switch {
	case !op.name.Dry():
		err = r.Gates.Confirm(ctx, op.name)
	case r.Connection.Target == nil:
		_, err = r.Stack.Providers.Accounts(ctx)
	}
	if err != nil {
		return err
	}
	return r.runOnce(op, run)
}

// runOnce runs the engine once, and follows its events to the last one.
func (r *Engine) runOnce(op *engineRun, run func(chan<- events.EngineEvent) error) error {
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
	if err == nil && !op.name.Dry() && r.Stack.Session.Interrupts.Count() > 0 {
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
func (r *Engine) ended(op *engineRun, err error) error {
	if err == nil {
		return nil
	}
	if r.Stack.Session.Interrupts.Count() > 0 && op.seen {
		return r.stopped(op, err)
	}
	if op.expired && !op.name.Dry() {
		e := r.stopped(op, err)
		e.Reason, e.Reported = failure.Failed, op.failures
		e.Problem = fmt.Sprintf("the AWS credentials expired during %s of stack %s: %s", op.name, r.Stack.Name,
			strings.TrimPrefix(e.Problem, "stopped; "))
		e.Remedy = "get new credentials, and " + e.Remedy
		return e
	}
	if len(op.failures) == 0 && op.seen && strings.TrimSpace(engine.Stderr(err)) == "" {
		return r.engineExited(op, err)
	}
	if len(op.failures) == 0 {
		return r.Stack.Classify(err)
	}
	classified := r.Stack.Classify(err)
	if failure.ReasonOf(classified) != failure.Failed {
		return classified
	}
	e := &failure.Error{
		Reason:   failure.Failed,
		Problem:  fmt.Sprintf("%s of stack %s failed: see above", op.name, r.Stack.Name),
		Reported: op.failures,
		Cause:    err,
	}
	if op.stateUnwritten {
		e.Code = failure.CodeBackend
		e.Problem = fmt.Sprintf("the state of stack %s cannot be written to %s: see above", r.Stack.Name, r.Stack.Backend.URL)
		e.Remedy = fmt.Sprintf("check the backend, its free space and the credentials for it, and run `hypershift-aws %s -s %s` again: "+
			"it finds resources created in the meantime, and continues", op.name, r.Stack.Name)
		return e
	}
	if !slices.ContainsFunc(op.failures, func(failed string) bool { return !report.Violates(failed) }) {
		e.Reason = failure.Conflict
		e.Problem = fmt.Sprintf("what stack %s is made of changed after its plan was made, and the engine stopped before what the plan does not have: see above",
			r.Stack.Name)
	}
	if !op.name.Dry() {
		e.Remedy = fmt.Sprintf("all completed operations are in the state; run `hypershift-aws %s -s %s` again to continue", op.name, r.Stack.Name)
	}
	return e
}

// engineExited returns the error of an engine that ended without an error message: it was killed.
func (r *Engine) engineExited(op *engineRun, cause error) error {
	op.dead = true
	e := &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("the engine exited unexpectedly during %s of stack %s", op.name, r.Stack.Name),
		Cause:   cause,
	}
	if list := op.underWay(); !op.name.Dry() && len(list) > 0 {
		e.Problem += "; in progress: " + strings.Join(list, ", ")
		e.Remedy = fmt.Sprintf("run `hypershift-aws %s -s %s` again: it finds what was in progress, and continues", op.name, r.Stack.Name)
	}
	return e
}

func (r *Engine) stopped(op *engineRun, cause error) *failure.Error {
	if op.name.Dry() {
		return &failure.Error{Reason: failure.Interrupted, Problem: "stopped; nothing was changed", Cause: cause}
	}
	c := op.done.Counts()
	e := &failure.Error{
		Reason: failure.Interrupted,
		Problem: fmt.Sprintf("stopped; %d created, %d updated, %d replaced and %d deleted resources are in the state",
			c.Created, c.Updated, c.Replaced, c.Deleted),
		Remedy: fmt.Sprintf("run `hypershift-aws %s -s %s` again to continue", op.name, r.Stack.Name),
		Cause:  cause,
	}
	if len(op.started) > 0 {
		e.Problem = fmt.Sprintf("stopped; %d created, %d updated, %d replaced and %d deleted resources, of which the state may lack the last",
			c.Created, c.Updated, c.Replaced, c.Deleted)
		e.Problem += "; abandoned: " + strings.Join(op.underWay(), ", ")
		e.Remedy += ": it searches for what was abandoned, and for what the state lacks"
	}
	return e
}

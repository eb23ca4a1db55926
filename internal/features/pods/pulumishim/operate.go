package pulumishim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/lease"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// shim is one operation of the engine on a stack.
type shim struct {
	System
	engine  string
	command command
	project *project.Project
	stack   string
	// backend is the URL of the states' backend in the environment.
	backend     string
	environment workspace.Environment
	kept        *lease.Stack

	workDir string
	// interrupts stop the engine that runs for the caller, and stop those of package automation.
	interrupts *engine.Interrupts
	stop       *automation.Interrupts
	run        *lease.Run
	relay      *relay
	// carrying is true while the engine runs with the caller's output, which has its messages.
	carrying atomic.Bool
	// ran is true once the engine has run for the caller, code is then its exit code.
	ran  bool
	code int
}

// operate carries out the operation, and returns its exit code.
func (f *shim) operate(ctx context.Context) int {
	defer func() { _ = f.kept.Close() }()
	f.interrupts, f.stop = engine.NewInterrupts(), automation.WatchInterrupts()
	defer f.stop.Close()
	defer f.stop.Hold()() // f.interrupts gives the engine its time
	f.stop.OnInterrupt(func(int) { f.interrupts.Interrupt() })
	err := withoutFlags(f.begin(ctx))
	if err != nil {
		fmt.Fprintf(f.Err, "error: %s\n", report.Style{}.Lines(err.Error()))
	}
	switch {
	case f.ran && f.code != 0:
		return f.code
	case err != nil:
		return invocation.ExitCode(err)
	}
	return 0
}

// withoutFlags returns an error for a reader who has no flags.
func withoutFlags(err error) error {
	var e *failure.Error
	if errors.As(err, &e) {
		named := strings.NewReplacer(gate.UnreadFlag, UnreadStacks+" in the pod's environment", gate.GoneFlag,
			"`hypershift-aws destroy "+gate.GoneFlag+"` outside of the pod")
		e.Problem, e.Remedy = named.Replace(e.Problem), named.Replace(e.Remedy)
	}
	return err
}

// begin carries out the operation: a preview beside others, which may be working on the stack, and everything else as
// the one run of the stack.
func (f *shim) begin(ctx context.Context) error {
	if f.command.changes() == changePreview {
		return f.preview(ctx)
	}
	return f.guarded(ctx)
}

// guarded carries out the operation as the one run of the stack.
func (f *shim) guarded(ctx context.Context) (err error) {
	dir, err := f.environment.MakeWorkDir(f.stack)
	if err != nil {
		return err
	}
	dir.Close()
	f.workDir = dir.Records
	waiting, cancel := f.interrupts.Context(ctx)
	f.run, err = f.kept.Begin(waiting, lease.Options{
		Timing: f.Timing,
		Dir:    f.workDir,
		Names:  run.KeptFiles(),
		Tell:   f.tell,
		Lost:   f.lost,
	})
	cancel()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.run.End(ctx, f.tell)) }()
	if f.relay, err = serveRelay(f.command.eventLog); err != nil {
		return err
	}
	defer f.relay.end()
	opened, err := f.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	stack := opened.Stack(f.stack)
	return f.deciding(ctx, stack, func() error { return f.change(ctx, stack) })
}

// open opens the project for the operations of package automation.
func (f *shim) open() (*automation.Project, error) {
	return f.Open(automation.ProjectOptions{
		Dir: f.project.Dir, Backend: f.backend, Environ: f.Environ, Executable: f.Executable, NoInstall: true,
		Events:       f.event,
		UnreadStacks: f.unreadStacks(), RunEngine: f.runOperation, Interrupts: f.stop,
	}, f.environment)
}

// lost ends the engine of a run that others may count as ended.
func (f *shim) lost(err error) {
	f.tell(err.Error() + "; the engine is killed")
	for range 3 { // the third kills
		f.stop.Interrupt()
	}
}

// SkipPreflight in the environment, if it is "true", leaves out what `up --skip-preflight` does: the comparison of the
// plan with quotas, names and given roles. An update in a pod has no flags of this program.
const SkipPreflight = "HYPERSHIFT_AWS_SKIP_PREFLIGHT"

// UnreadStacks in the environment has names of stacks, separated by commas, that cannot be read and do not use what the
// pod's stack changes: the value of `--unread-stack`.
const UnreadStacks = "HYPERSHIFT_AWS_UNREAD_STACKS"

func (f *shim) unreadStacks() []string {
	return strings.FieldsFunc(f.Environ.Get(UnreadStacks), func(r rune) bool { return r == ',' })
}

func (f *shim) skipsPreflight() bool { return f.Environ.Get(SkipPreflight) == "true" }

// change carries out the operation with everything that the CLI does around it.
func (f *shim) change(ctx context.Context, stack *automation.Stack) error {
	switch f.command.changes() {
	case changeUp:
		return f.update(ctx, stack)
	case changeRefresh:
		if _, err := stack.Repair(ctx, automation.RepairOptions{}); err != nil {
			return err
		}
		_, err := stack.Refresh(ctx, automation.RefreshOptions{})
		return err
	case changeDestroy:
		return f.destroy(ctx, stack)
	case changeSelect:
		_, err := stack.Repair(ctx, automation.RepairOptions{})
		return err
	case changePreview: // changes nothing
	}
	return fmt.Errorf("unknown operation %s", f.command.operation)
}

// update updates the stack. The engine's options that replace what the file does not change would be beside the plan
// that the gates judge.
func (f *shim) update(ctx context.Context, stack *automation.Stack) error {
	if f.command.replaces || f.Environ.Get("PULUMI_OPTION_REPLACE")+f.Environ.Get("PULUMI_OPTION_TARGET_REPLACE") != "" {
		return &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("an update of stack %s makes its resources as its file has them, and --replace and --target-replace are for others; nothing was changed",
				f.stack),
			Remedy: "change the stack's file instead, and run `pulumi up` without the flag",
		}
	}
	refresh := f.command.refresh || f.Environ.Get("PULUMI_OPTION_REFRESH") == "true"
	_, err := stack.Up(ctx, automation.UpOptions{
		Decide: automation.Approve, SkipQuotas: f.skipsPreflight(), Refresh: refresh,
	})
	return err
}

// partial reports whether the command is for some resources of the stack only.
func (f *shim) partial() bool {
	return f.command.partial || f.Environ.Get("PULUMI_OPTION_TARGET")+f.Environ.Get("PULUMI_OPTION_EXCLUDE") != ""
}

// destroy deletes the stack. The key `unprotected` in its file is the consent to the deletion of its cluster, and of
// what is under it. Some resources only are not deleted: the deletion begins with the cluster, before the engine runs
// with the caller's arguments.
func (f *shim) destroy(ctx context.Context, stack *automation.Stack) error {
	if f.partial() {
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("a destroy deletes stack %s as a whole, its cluster first, and --target or --exclude is for some of its resources; nothing was deleted", f.stack),
			Remedy:  "change the stack's file instead, and run `pulumi up`; or leave the flag out",
		}
	}
	options := automation.DestroyOptions{Decide: decide}
	if file, err := f.project.LoadStack(f.stack); err == nil && unprotected(file.Section) {
		of := config.IdentityOf(file.Section)
		options.Cluster = of.Name
		if of.Relation != config.JoinsCluster {
			options.UnderLivingCluster = options.Cluster
		}
	}
	_, err := stack.Destroy(ctx, options)
	return err
}

// unprotected reports whether the file of a stack with a cluster, or with what one needs, allows to delete it.
func unprotected(section config.Section) bool {
	protected, ok := section.(config.ProtectedSection)
	return ok && protected.DeletionAllowed()
}

// decide approves what needs no name of a cluster.
func decide(_ context.Context, q automation.Question) (bool, error) {
	if q.Name == "" {
		return true, nil
	}
	return false, &failure.Error{
		Reason: failure.Refused, Code: failure.CodeLiving,
		Problem: fmt.Sprintf("a destroy of stack %s deletes the cluster %s and all that runs on it; nothing was deleted", q.Stack, q.Name),
		Remedy:  "set `unprotected: true` in the stack's section, which is the consent; or `hypershift-aws destroy`, which asks for the name",
	}
}

// runOperation runs the engine for the caller.
func (f *shim) runOperation(environ []string, ch chan<- events.EngineEvent) error {
	defer close(ch)
	if err := f.run.Store(context.Background()); err != nil { // what a later run must know, if this one is killed
		return err
	}
	c := f.command
	c.args = c.withEventLog(f.relay.address)
	if c.changes() == changeDestroy {
		c.args = c.without("--run-program", false) // the gates have decided
	}
	if f.partial() { // the engine would miss the rest of the plan
		environ = slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
			return strings.HasPrefix(variable, engine.PlanVariable+"=")
		})
	}
	end := f.relay.passOn(ch)
	defer end()
	return f.runEngine(c.args, environ, f.started)
}

// runEngine runs the engine with the caller's input and output, and additions to its environment.
func (f *shim) runEngine(args, environ []string, started func(pid int)) error {
	cmd := exec.Command(f.engine, args...)
	var errs bytes.Buffer
	// A destroy does not run the program, which would refuse these variables.
	if ignored := f.Environ.KubernetesOptions(); len(ignored) > 0 {
		f.tell("warning: " + strings.Join(ignored, ", ") + " would change what the Kubernetes provider deletes, and is not passed to the engine")
	}
	cmd.Env = slices.Concat(f.Environ.WithoutKubernetesOptions(), environ)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = f.In, f.Out, io.MultiWriter(f.Err, &errs)
	f.carrying.Store(true)
	defer f.carrying.Store(false)
	err := f.interrupts.Run(cmd, started)
	if cmd.ProcessState != nil {
		f.ran, f.code = true, cmd.ProcessState.ExitCode()
	}
	if err == nil {
		return nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			f.code = 128 + int(status.Signal())
			errs.Reset() // it ended without its own error
		}
		return &engine.Error{Stderr: errs.String(), Err: err}
	}
	return err
}

// started records the engine, so that its lock is known as its own.
func (f *shim) started(pid int) {
	err := state.NewProcesses(f.workDir).Started(pid)
	if err = errors.Join(err, f.run.Store(context.Background())); err != nil {
		f.tell(err.Error())
	}
}

// event prints what the engine has not printed itself.
func (f *shim) event(e automation.Event) {
	switch e := e.(type) {
	case *automation.NoteEvent:
		f.tell(e.Message)
	case *automation.MessageEvent:
		f.tell(e.Text)
	case *automation.PlannedEvent:
		f.forecast(e)
	case *automation.DiagnosticEvent:
		if !f.carrying.Load() && e.Severity != "info" {
			f.tell(e.Severity + ": " + e.Message)
		}
	case *automation.ResourceEvent:
		if !f.carrying.Load() && e.Status != event.StatusStarted {
			f.tell(fmt.Sprintf("%s: %s %s", e.Status, e.Op, report.Label(e)))
		}
	}
}

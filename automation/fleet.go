package automation

import (
	"context"
	"os"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/features/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

type (
	// FleetLimits bound how many stacks are in progress, and how many may fail.
	FleetLimits = fleetrun.Limits
	// FleetJob is a stack of a fleet: its name, folder, account and wave.
	FleetJob = fleetrun.Job
	// FleetOutcome is how the operation on a stack ended.
	FleetOutcome = fleetrun.Outcome
)

// FleetOptions configure Fleet.
type FleetOptions struct {
	// ProjectOptions apply to each folder's project, except Dir and WorkDir. Interrupts stop the whole run: the first
	// starts no more stacks, the second and the third interrupt those in progress.
	ProjectOptions
	// Dirs are folders, or patterns of folders with stack files. Default: the working directory.
	Dirs []string
	// Operation is "up", "preview", "refresh", "drift", "status" or "destroy". With up a stack waits for its management
	// stack, with destroy for the stacks that refer to it.
	Operation Operation
	// Select are expressions, such as "prod-*" or "kind=cluster,tag:env!=dev", and a stack must match one of them.
	// Default: all stacks.
	Select []string
	// Waves are the sizes of waves, "1,5,rest". Each starts when the previous one has succeeded. Default: one wave.
	Waves string
	// FleetLimits bound the run. Default: one stack per processor and gigabyte of memory, and four per account.
	FleetLimits
	// Resume continues the last run: stacks that have not succeeded, and those whose files have changed since.
	Resume bool
	// SkipQuotas does not compare what the stacks would create together with the quotas of their accounts.
	SkipQuotas bool
	// Decide is asked once, before the first stack is created, updated or deleted. Question is what it is asked for other
	// operations, "" not to ask: they change nothing that needs a decision.
	Decide   Decide
	Question string
	// Run runs the operation on one stack in this process, such as by Stack.Up, and returns its plan. It is called from
	// several goroutines.
	Run func(ctx context.Context, s *Stack) (*Plan, error)
	// Process runs each stack in a separate process, instead of Run.
	Process *FleetProcess
}

// FleetProcess is a program that runs the operation on one stack, and writes the JSON lines of hypershift-aws:
// hypershift-aws itself.
type FleetProcess struct {
	// Executable is its file, and Args its arguments without -C, -s and -o.
	Executable string
	Args       func(job *FleetJob) []string
	// Line receives each line that it writes, from several goroutines.
	Line func(job *FleetJob, line []byte)
}

// FleetResult is a run of a fleet.
type FleetResult struct {
	// Operation is what was done with each stack.
	Operation Operation
	// Jobs are the selected stacks in the order of the operation; none if nothing was left to resume. Outcomes is nil if
	// none was started.
	Jobs     []*FleetJob
	Outcomes map[*FleetJob]FleetOutcome
	// Took is how long the run took.
	Took time.Duration
	// WithoutFile are the stacks that were left out, because they have resources and no file.
	WithoutFile []string
}

// String counts the stacks by their outcomes.
func (r *FleetResult) String() string { return (*fleet.Result)(r).String() }

// Events of a fleet.
type (
	// FleetPlannedEvent is the order of a run, before it is decided on. Label is "offline" or, on AWS, "".
	FleetPlannedEvent struct {
		event.Marker

		// Jobs are the stacks in the order of the operation.
		Jobs []*FleetJob
		// Limits bound how many stacks run at once, and may fail.
		Limits FleetLimits
		Label  string
	}
	// FleetStackEvent is the start of a stack, or its outcome.
	FleetStackEvent struct {
		event.Marker

		// Job is the stack.
		Job *FleetJob
		// Outcome is how it ended; its Status is running when it starts.
		Outcome FleetOutcome
	}
	// FindingEvent is what a comparison with quotas found.
	FindingEvent struct {
		event.Marker

		// Finding is the result for one quota.
		Finding finding.Finding
	}
)

// fleetEvent returns an event as this package's own.
func fleetEvent(e Event) Event {
	switch typed := e.(type) {
	case *fleet.PlannedEvent:
		return (*FleetPlannedEvent)(typed)
	case *fleet.StackEvent:
		return (*FleetStackEvent)(typed)
	case *fleet.FindingEvent:
		return (*FindingEvent)(typed)
	}
	return e
}

// Fleet runs one operation on many stacks of one or several folders. The failure of one stack does not interrupt the
// others. A run that was interrupted, killed, or failed in part can be resumed: its journal is in the folder of the
// first stack. In this process a stack takes the memory of its engine and about as much of this process as a single
// operation, for as long as it is in progress: Parallel bounds both. The error of a result with outcomes is that of the
// stacks: Failed, or the reason that all of them have.
func Fleet(ctx context.Context, o FleetOptions) (*FleetResult, error) {
	if (o.Run == nil) == (o.Process == nil) {
		return nil, gate.Refuse("a fleet needs either Run or Process")
	}
	if o.WorkDir != "" {
		return nil, gate.Refuse("WorkDir is for one project: a fleet keeps its files in each folder")
	}
	if o.Events == nil {
		o.Events = func(Event) {}
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Interrupts == nil {
		o.Interrupts = NewInterrupts()
	}
	result, err := fleet.Operate(ctx, fleet.Options{
		Dirs: o.Dirs, Operation: o.Operation, Select: o.Select, Waves: o.Waves, Limits: o.FleetLimits, Resume: o.Resume,
		SkipQuotas: o.SkipQuotas, Offline: o.Offline, Environ: o.Environ, Interrupts: o.Interrupts.engine, Decide: o.Decide,
		Question: o.Question,
		Events:   func(e Event) { o.Events(fleetEvent(e)) }, Project: o.project, Process: (*fleet.Process)(o.Process),
	})
	return (*FleetResult)(result), err
}

// project opens the project of a folder.
func (o FleetOptions) project(dir string, environ engine.Environ) (*fleet.Project, error) {
	each := o.ProjectOptions
	each.Dir, each.Environ, each.Interrupts = dir, environ, nil
	p, err := Open(each)
	if err != nil {
		return nil, err
	}
	return &fleet.Project{
		Files: p.project, Environment: p.where, Close: p.Close,
		Session: func(ctx context.Context) (*workspace.Session, error) { return p.share(ctx, o.Interrupts.engine) },
		Stack: func(name string) (*run.Stack, func(context.Context) (*Plan, error)) {
			s := p.Stack(name)
			return s.core(), func(ctx context.Context) (*Plan, error) { return o.Run(ctx, s) }
		},
	}, nil
}

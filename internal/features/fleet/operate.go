package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	api "github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Options configure Operate.
type Options struct {
	// Dirs are folders, or patterns of folders with stack files. Default: the working directory.
	Dirs []string
	// Operation is "up", "preview", "refresh", "drift", "status" or "destroy".
	Operation gates.Operation
	// Select are expressions, and a stack must match one of them. Default: all stacks.
	Select []string
	// Waves are the sizes of waves, "1,5,rest". Default: one wave.
	Waves string
	// Limits bound the run. Default: one stack per processor and gigabyte of memory, and four per account.
	fleetrun.Limits
	// Resume continues the last run.
	Resume bool
	// SkipQuotas does not compare what the stacks would create together with the quotas of their accounts.
	SkipQuotas bool
	// Offline is true for accounts in memory.
	Offline bool
	// Environ is the environment of the engines and the AWS clients.
	Environ engine.Environ
	// Interrupts stop the run: the first starts no more stacks, the second and the third interrupt those in progress.
	Interrupts *engine.Interrupts
	// Decide is asked once, before the first stack is created, updated or deleted. Question is what it is asked for other
	// operations, "" not to ask.
	Decide   api.Decide
	Question string
	// Events receives the events of the run, from several goroutines.
	Events func(event.Event)
	// Project opens the project of a folder, whose stacks have interrupts of their own.
	Project func(dir string, environ engine.Environ) (*Project, error)
	// Process runs each stack in a separate process. Default: Project.Stack runs it in this process.
	Process *Process
}

// Process is a program that runs the operation on one stack, and writes the JSON lines of hypershift-aws.
type Process struct {
	// Executable is its file, and Args its arguments without -C, -s and -o.
	Executable string
	Args       func(job *fleetrun.Job) []string
	// Line receives each line that it writes, from several goroutines.
	Line func(job *fleetrun.Job, line []byte)
}

// Project is the project of a folder.
type Project struct {
	Files *project.Project
	// Environment opens the environment of its stacks, once.
	Environment func() (workspace.Environment, error)
	// Session returns what is shared by what is done with all its stacks.
	Session func(context.Context) (*workspace.Session, error)
	// Stack returns a stack, and the operation on it in this process.
	Stack func(name string) (*run.Stack, func(context.Context) (*changes.Plan, error))
	Close func()
}

// Result is a run of a fleet.
type Result struct {
	Operation gates.Operation
	// Jobs are the selected stacks in the order of the operation; none if nothing was left to resume. Outcomes is nil if
	// none was started.
	Jobs     []*fleetrun.Job
	Outcomes map[*fleetrun.Job]fleetrun.Outcome
	Took     time.Duration
	// WithoutFile are the stacks that were left out, because they have resources and no file.
	WithoutFile []string
}

// String counts the stacks by their outcomes.
func (r *Result) String() string {
	statuses := map[fleetrun.Status]int{}
	for _, outcome := range r.Outcomes {
		statuses[outcome.Status]++
	}
	counts := strings.Join(StatusCounts(statuses), ", ")
	return fmt.Sprintf("fleet %s of %s: %s; %s",
		r.Operation, report.Number(len(r.Jobs), "stack"), counts, r.Took.Round(time.Second))
}

// Events of a fleet: see those of package automation whose names begin with Fleet.
type (
	// PlannedEvent is the order of a run, before it is decided on.
	PlannedEvent struct {
		event.Marker

		Jobs   []*fleetrun.Job
		Limits fleetrun.Limits
		Label  string
	}
	// StackEvent is the start of a stack, or its outcome.
	StackEvent struct {
		event.Marker

		Job     *fleetrun.Job
		Outcome fleetrun.Outcome
	}
	// FindingEvent is what a comparison with quotas found.
	FindingEvent struct {
		event.Marker

		Finding finding.Finding
	}
)

// status is the operation of status.
const status gates.Operation = "status"

// reads reports whether the operation changes neither AWS nor a state.
func (o Options) reads() bool { return o.Operation.Dry() || o.Operation == status }

// ordered reports whether stacks wait for each other.
func (o Options) ordered() bool {
	return o.Operation == gates.Up || o.Operation == gates.Destroy || o.Question != ""
}

// fleet is a run of a fleet.
type fleet struct {
	Options
	projects map[string]*Project
	// leftOut are the stacks with resources and without a file.
	leftOut []string

	mu      sync.Mutex
	running map[*run.Stack]bool
}

// Operate runs one operation on many stacks: see automation.Fleet.
func Operate(ctx context.Context, o Options) (*Result, error) {
	if o.Parallel == 0 {
		o.Parallel = DefaultParallel()
	}
	if o.PerAccount == 0 {
		o.PerAccount = 4
	}
	// The stacks of one run share the answer of a management cluster.
	answers, err := os.MkdirTemp("", "hypershift-aws-fleet")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for what management clusters answer: %w", err)
	}
	defer os.RemoveAll(answers) //nolint:errcheck // the system cleans its temporary folder
	o.Environ = o.Environ.With(binding.AnswersVariable, answers)
	f := &fleet{Options: o, projects: map[string]*Project{}, running: map[*run.Stack]bool{}}
	defer f.close()
	return f.do(ctx)
}

func (f *fleet) do(ctx context.Context) (*Result, error) {
	folders, err := Folders(f.Dirs)
	if err != nil {
		return nil, err
	}
	all, faulty, err := Load(folders)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && f.needsFiles() {
		return nil, noStack("no stack has a file in %s", folders[0])
	}
	home, err := f.project(folders[0].Dir)
	if err != nil {
		return nil, err
	}
	where, err := home.Environment()
	if err != nil {
		return nil, err
	}
	if err := home.Files.MakeOwnDir(); err != nil {
		return nil, err
	}
	dir := filepath.Join(where.Folder(), "fleet") // of the journal, the logs and the locks
	if f.reads() {
		dir += "-" + string(f.Operation) // so that Resume still continues the last operation that changed something
	}
	byState, err := f.withoutFiles(ctx, folders)
	if err != nil {
		return nil, err
	}
	if all = append(all, byState...); len(all) == 0 {
		return nil, noStack("no stack has a file or resources in %s", folders[0])
	}
	journal, err := OpenJournal(dir)
	if err != nil {
		return nil, err
	}
	defer journal.Close()
	result := &Result{Operation: f.Operation, WithoutFile: f.leftOut}
	if result.Jobs, err = f.plan(ctx, journal, all, faulty); err != nil || len(result.Jobs) == 0 {
		return result, err
	}
	f.Events(&PlannedEvent{Jobs: result.Jobs, Limits: f.Limits, Label: where.Label()})
	if !f.SkipQuotas && (f.Operation == gates.Up || f.Operation == gates.Preview) {
		if err := f.checkQuotas(ctx, result.Jobs); err != nil {
			return result, err
		}
	}
	if err := f.ask(ctx); err != nil {
		return result, err
	}
	session, err := f.session(ctx, folders[0].Dir)
	if err != nil {
		return result, err
	}
	kubernetes := slices.ContainsFunc(result.Jobs, func(job *fleetrun.Job) bool { return job.Kubernetes })
	if err := run.InstallPlugins(ctx, session, kubernetes); err != nil {
		return result, err
	}
	if !f.Resume {
		if err := journal.Begin(string(f.Operation), f.Offline, result.Jobs); err != nil {
			return result, err
		}
	}
	return result, f.carryOut(ctx, result, journal, dir)
}

// ask asks before stacks are changed.
func (f *fleet) ask(ctx context.Context) error {
	questions := map[gates.Operation]string{
		gates.Up:      "Create or update the resources of all these stacks?",
		gates.Destroy: "Delete the resources of all these stacks?",
	}
	text := cmp.Or(f.Question, questions[f.Operation])
	if text == "" {
		return nil
	}
	return run.Ask(ctx, f.Decide, api.Question{Operation: f.Operation, Text: text})
}

// carryOut runs the jobs.
func (f *fleet) carryOut(ctx context.Context, result *Result, journal *Journal, dir string) error {
	all := Run{Jobs: result.Jobs, Limits: f.Limits, Stop: f.Interrupts.First(), Journal: journal, Observer: f}
	stop := f.interrupt
	if f.Process == nil {
		stacks := context.WithoutCancel(ctx)
		all.Operate = func(job *fleetrun.Job) fleetrun.Outcome { return f.operate(stacks, job) }
	} else {
		processes := &Processes{
			Operation: string(f.Operation), Executable: f.Process.Executable, Environ: f.Environ, Dir: dir,
			ChangesFail: f.ordered(),
			Line:        f.Process.Line, Args: f.Process.Args,
		}
		all.Operate, stop = processes.Operate, processes.Interrupt
	}
	f.Interrupts.OnInterrupt(func(count int) {
		f.Events(&event.Interrupt{Count: count})
		if count > 1 {
			stop()
		}
	})
	defer context.AfterFunc(ctx, f.Interrupts.Interrupt)()
	defer f.Interrupts.Hold()() // the second signal waits for the operations in progress
	began := time.Now()
	outcomes, err := all.Do()
	result.Took = time.Since(began)
	if err != nil {
		return err
	}
	result.Outcomes = outcomes
	if open := journal.Open(); open > 0 {
		f.say("%s a change that continues in stages: `hypershift-aws fleet %s --resume` continues it once the control planes "+
			"have applied their stage",
			report.Number(open, "stack")+map[bool]string{true: " has", false: " have"}[open == 1], f.Operation)
	}
	unsuccessful := func(job *fleetrun.Job) bool { return outcomes[job].Status != fleetrun.Succeeded }
	if !slices.ContainsFunc(result.Jobs, unsuccessful) {
		return nil
	}
	e := &failure.Error{Reason: Reason(outcomes), Problem: result.String()}
	if e.Reason != failure.ChangesFound && !f.reads() {
		e.Remedy = fmt.Sprintf("`hypershift-aws fleet %s --resume` continues with those that have not succeeded", f.Operation)
		if e.Reason == failure.Refused {
			e.Remedy = "correct what is refused: " + e.Remedy
		}
	}
	return e
}

// Started implements Observer.
func (f *fleet) Started(job *fleetrun.Job) {
	f.Events(&StackEvent{Job: job, Outcome: fleetrun.Outcome{Status: fleetrun.Running}})
}

// Ended implements Observer.
func (f *fleet) Ended(job *fleetrun.Job, outcome fleetrun.Outcome) {
	f.Events(&StackEvent{Job: job, Outcome: outcome})
}

// Note implements Observer.
func (f *fleet) Note(sentence string) { f.Events(&event.Note{Message: sentence}) }

func (f *fleet) say(format string, args ...any) {
	f.Events(&api.Message{Text: report.Sentence(format, args...)})
}

// operate runs the operation on a stack in this process.
func (f *fleet) operate(ctx context.Context, job *fleetrun.Job) fleetrun.Outcome {
	opened, err := f.project(job.Dir)
	if err != nil {
		return NewOutcome(err, failure.Failed)
	}
	stack, operation := opened.Stack(job.Stack)
	f.mu.Lock()
	f.running[stack] = true
	f.mu.Unlock()
	done, err := operation(ctx)
	f.mu.Lock()
	delete(f.running, stack)
	f.mu.Unlock()
	outcome := NewOutcome(err, run.ReasonOf(err))
	if known := (*failure.Error)(nil); errors.As(err, &known) && known.Code == failure.CodeNotDeployed &&
		leavesAbsent(f.Operation) {
		outcome.Status, outcome.Code = fleetrun.Succeeded, 0
	}
	if outcome.Status == fleetrun.Changed && f.ordered() {
		outcome.Status = fleetrun.Failed
	}
	if done != nil {
		outcome.Counts = done.Counts()
	}
	outcome.Open = stack.Staged.Load()
	return outcome
}

// interrupt interrupts the stacks that run in this process.
func (f *fleet) interrupt() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for stack := range f.running {
		stack.Interrupts.Interrupt()
	}
}

// project returns the project of a folder.
func (f *fleet) project(dir string) (*Project, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.projects[dir] != nil {
		return f.projects[dir], nil
	}
	p, err := f.Project(dir, f.Environ)
	if err == nil {
		f.projects[dir] = p
	}
	return p, err
}

func (f *fleet) session(ctx context.Context, dir string) (*workspace.Session, error) {
	p, err := f.project(dir)
	if err != nil {
		return nil, err
	}
	return p.Session(ctx)
}

func (f *fleet) close() {
	for _, p := range f.projects {
		p.Close()
	}
}

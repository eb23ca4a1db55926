package automation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/features/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
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
	// ProjectOptions apply to each folder's project, except Dir and WorkDir. Interrupts stop the whole run: the first starts no more stacks, the
	// second and the third interrupt those in progress.
	ProjectOptions
	// Dirs are folders, or patterns of folders with stack files. Default: the working directory.
	Dirs []string
	// Operation is "up", "preview", "refresh", "drift", "status" or "destroy". With up a stack waits for its management stack, with destroy for
	// the stacks that refer to it.
	Operation Operation
	// Select are expressions, such as "prod-*" or "kind=cluster,tag:env!=dev", and a stack must match one of them. Default: all stacks.
	Select []string
	// Waves are the sizes of waves, "1,5,rest". Each starts when the previous one has succeeded. Default: one wave.
	Waves string
	// FleetLimits bound the run. Default: one stack per processor and gigabyte of memory, and four per account.
	FleetLimits
	// Resume continues the last run: stacks that have not succeeded, and those whose files have changed since.
	Resume bool
	// SkipQuotas does not compare what the stacks would create together with the quotas of their accounts.
	SkipQuotas bool
	// Decide is asked once, before the first stack is created, updated or deleted.
	Decide Decide
	// Run runs the operation on one stack in this process, such as by Stack.Up, and returns its plan. It is called from several goroutines.
	Run func(ctx context.Context, s *Stack) (*Plan, error)
	// Process runs each stack in a separate process, instead of Run.
	Process *FleetProcess
}

// fleetStatus is the operation of status.
const fleetStatus Operation = "status"

// reads reports whether the operation changes neither AWS nor a state.
func (o FleetOptions) reads() bool { return o.Operation.Dry() || o.Operation == fleetStatus }

// FleetProcess is a program that runs the operation on one stack, and writes the JSON lines of hypershift-aws: hypershift-aws itself.
type FleetProcess struct {
	// Executable is its file, and Args its arguments without -C, -s and -o.
	Executable string
	Args       func(job *FleetJob) []string
	// Line receives each line that it writes, from several goroutines.
	Line func(job *FleetJob, line []byte)
}

// FleetResult is a run of a fleet.
type FleetResult struct {
	Operation Operation
	// Jobs are the selected stacks in the order of the operation; none if nothing was left to resume. Outcomes is nil if none was started.
	Jobs     []*FleetJob
	Outcomes map[*FleetJob]FleetOutcome
	Took     time.Duration
}

// String counts the stacks by their outcomes.
func (r *FleetResult) String() string {
	statuses := map[fleetrun.Status]int{}
	for _, outcome := range r.Outcomes {
		statuses[outcome.Status]++
	}
	return fmt.Sprintf("fleet %s of %s: %s; %s", r.Operation, report.Number(len(r.Jobs), "stack"), strings.Join(fleet.StatusCounts(statuses), ", "), r.Took.Round(time.Second))
}

// Events of a fleet.
type (
	// FleetPlannedEvent is the order of a run, before it is decided on. Label is "offline" or, on AWS, "".
	FleetPlannedEvent struct {
		event.Marker

		Jobs   []*FleetJob
		Limits FleetLimits
		Label  string
	}
	// FleetStackEvent is the start of a stack, or its outcome.
	FleetStackEvent struct {
		event.Marker

		Job     *FleetJob
		Outcome FleetOutcome
	}
	// FindingEvent is what a comparison with quotas found.
	FindingEvent struct {
		event.Marker

		Finding finding.Finding
	}
)

// fleetRun is a run of a fleet.
type fleetRun struct {
	FleetOptions
	projects map[string]*Project

	mu      sync.Mutex
	running map[*Stack]bool
}

// Fleet runs one operation on many stacks of one or several folders. The failure of one stack does not interrupt the others. A run that was
// interrupted, killed, or failed in part can be resumed: its journal is in the folder of the first stack. In this process a stack takes the
// memory of its engine and about as much of this process as a single operation, for as long as it is in progress: Parallel bounds both. The
// error of a result with outcomes is that of the stacks: Failed, or the reason that all of them have.
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
	if o.Parallel == 0 {
		o.Parallel = fleet.DefaultParallel()
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
	o.Environ = engine.Environ(o.Environ).With(binding.AnswersVariable, answers)
	r := &fleetRun{FleetOptions: o, projects: map[string]*Project{}, running: map[*Stack]bool{}}
	defer r.close()
	return r.do(ctx)
}

func (r *fleetRun) do(ctx context.Context) (*FleetResult, error) {
	folders, err := fleet.Folders(r.Dirs)
	if err != nil {
		return nil, err
	}
	all, faulty, err := fleet.Load(folders)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && r.needsFiles() {
		return nil, noStack("no stack has a file in %s", folders[0])
	}
	home, err := r.project(folders[0].Dir)
	if err != nil {
		return nil, err
	}
	where, err := home.where()
	if err != nil {
		return nil, err
	}
	if err := home.project.MakeOwnDir(); err != nil {
		return nil, err
	}
	dir := filepath.Join(where.Folder(), "fleet") // of the journal, the logs and the locks
	if r.reads() {
		dir += "-" + string(r.Operation) // so that Resume still continues the last operation that changed something
	}
	byState, err := r.withoutFiles(ctx, folders)
	if err != nil {
		return nil, err
	}
	if all = append(all, byState...); len(all) == 0 {
		return nil, noStack("no stack has a file or resources in %s", folders[0])
	}
	journal, err := fleet.OpenJournal(dir)
	if err != nil {
		return nil, err
	}
	defer journal.Close()
	result := &FleetResult{Operation: r.Operation}
	if result.Jobs, err = r.plan(ctx, journal, all, faulty); err != nil || len(result.Jobs) == 0 {
		return result, err
	}
	r.Events(&FleetPlannedEvent{Jobs: result.Jobs, Limits: r.FleetLimits, Label: where.Label()})
	if !r.SkipQuotas && (r.Operation == gates.Up || r.Operation == gates.Preview) {
		if err := r.checkQuotas(ctx, result.Jobs); err != nil {
			return result, err
		}
	}
	questions := map[Operation]string{
		gates.Up: "Create or update the resources of all these stacks?", gates.Destroy: "Delete the resources of all these stacks?",
	}
	if text := questions[r.Operation]; text != "" {
		if err := run.Ask(ctx, r.Decide, Question{Operation: r.Operation, Text: text}); err != nil {
			return result, err
		}
	}
	session, err := r.session(ctx, folders[0].Dir)
	if err != nil {
		return result, err
	}
	if err := run.InstallPlugins(ctx, session, slices.ContainsFunc(result.Jobs, func(job *FleetJob) bool { return job.Kubernetes })); err != nil {
		return result, err
	}
	if !r.Resume {
		if err := journal.Begin(string(r.Operation), r.Offline, result.Jobs); err != nil {
			return result, err
		}
	}
	return result, r.carryOut(ctx, result, journal, dir)
}

// carryOut runs the jobs.
func (r *fleetRun) carryOut(ctx context.Context, result *FleetResult, journal *fleet.Journal, dir string) error {
	run := fleet.Run{Jobs: result.Jobs, Limits: r.FleetLimits, Stop: r.Interrupts.engine.First(), Journal: journal, Observer: r}
	stop := r.interrupt
	if r.Process == nil {
		stacks := context.WithoutCancel(ctx)
		run.Operate = func(job *FleetJob) FleetOutcome { return r.operate(stacks, job) }
	} else {
		processes := &fleet.Processes{
			Executable: r.Process.Executable, Environ: r.Environ, Dir: dir, ChangesFail: r.ordered(), Line: r.Process.Line, Args: r.Process.Args,
		}
		run.Operate, stop = processes.Operate, processes.Interrupt
	}
	r.Interrupts.engine.OnInterrupt(func(count int) {
		r.Events(&InterruptEvent{Count: count})
		if count > 1 {
			stop()
		}
	})
	defer context.AfterFunc(ctx, r.Interrupts.engine.Interrupt)()
	defer r.Interrupts.engine.Hold()() // the second signal waits for the operations in progress
	began := time.Now()
	outcomes, err := run.Do()
	result.Took = time.Since(began)
	if err != nil {
		return err
	}
	result.Outcomes = outcomes
	if open := journal.Open(); open > 0 {
		r.say("%s a change that continues in stages: `hypershift-aws fleet %s --resume` continues it once the control planes have applied their stage",
			report.Number(open, "stack")+map[bool]string{true: " has", false: " have"}[open == 1], r.Operation)
	}
	if !slices.ContainsFunc(result.Jobs, func(job *FleetJob) bool { return outcomes[job].Status != fleetrun.Succeeded }) {
		return nil
	}
	e := &failure.Error{Reason: fleet.Reason(outcomes), Problem: result.String()}
	if e.Reason != failure.ChangesFound && !r.reads() {
		e.Remedy = fmt.Sprintf("`hypershift-aws fleet %s --resume` continues with those that have not succeeded", r.Operation)
	}
	return e
}

func (r *fleetRun) ordered() bool { return r.Operation == gates.Up || r.Operation == gates.Destroy }

// Started, Ended and Note implement fleet.Observer.
func (r *fleetRun) Started(job *FleetJob) {
	r.Events(&FleetStackEvent{Job: job, Outcome: FleetOutcome{Status: fleetrun.Running}})
}

func (r *fleetRun) Ended(job *FleetJob, outcome FleetOutcome) {
	r.Events(&FleetStackEvent{Job: job, Outcome: outcome})
}

func (r *fleetRun) Note(sentence string) { r.Events(&NoteEvent{Message: sentence}) }

func (r *fleetRun) say(format string, args ...any) {
	r.Events(&MessageEvent{Text: report.Sentence(format, args...)})
}

// operate runs the operation on a stack in this process.
func (r *fleetRun) operate(ctx context.Context, job *FleetJob) FleetOutcome {
	project, err := r.project(job.Dir)
	if err != nil {
		return fleet.NewOutcome(err, failure.Failed)
	}
	stack := project.Stack(job.Stack)
	r.mu.Lock()
	r.running[stack] = true
	r.mu.Unlock()
	done, err := r.Run(ctx, stack)
	r.mu.Lock()
	delete(r.running, stack)
	r.mu.Unlock()
	outcome := fleet.NewOutcome(err, ReasonOf(err))
	if outcome.Status == fleetrun.Changed && r.ordered() {
		outcome.Status = fleetrun.Failed
	}
	if done != nil {
		outcome.Counts = done.Counts()
	}
	outcome.Open = stack.open.Load()
	return outcome
}

// interrupt interrupts the stacks that run in this process.
func (r *fleetRun) interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for stack := range r.running {
		stack.Interrupt()
	}
}

// project returns the project of a folder. Its stacks have interrupts of their own.
func (r *fleetRun) project(dir string) (*Project, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.projects[dir] != nil {
		return r.projects[dir], nil
	}
	o := r.ProjectOptions
	o.Dir, o.Interrupts = dir, nil
	p, err := Open(o)
	if err == nil {
		r.projects[dir] = p
	}
	return p, err
}

func (r *fleetRun) close() {
	for _, p := range r.projects {
		p.Close()
	}
}

// plan selects, checks and orders the stacks, by the options or by the journal. It returns none if nothing is left to do.
func (r *fleetRun) plan(ctx context.Context, journal *fleet.Journal, all []fleetrun.Member, faulty map[string]fault.Faults) ([]*FleetJob, error) {
	waves, err := fleet.ParseWaves(r.Waves)
	if err != nil {
		return nil, err
	}
	selector, err := fleet.ParseSelector(r.Select)
	if err != nil {
		return nil, err
	}
	operable := slices.DeleteFunc(slices.Clone(all), func(m fleetrun.Member) bool { return m.Path == "" && r.needsFiles() })
	var selected []fleetrun.Member
	var earlier map[string]fleet.Entry
	if r.Resume {
		if selected, earlier, err = journal.Resume(string(r.Operation), r.Offline, operable); err != nil {
			return nil, err
		}
		if r.Operation == gates.Destroy {
			if selected, err = r.begun(ctx, journal, selected); err != nil {
				return nil, err
			}
		}
		if len(selected) == 0 {
			r.say("nothing to resume: all stacks of the last run have succeeded")
			return nil, nil
		}
	} else {
		for _, m := range operable {
			if _, wrong := faulty[m.ID]; wrong && selector.MayMatch(m) || selector.Matches(m) {
				selected = append(selected, m)
			}
		}
		if len(selected) == 0 {
			return nil, gate.Refuse("--select matches none of %s; `hypershift-aws stacks` lists their names", report.Number(len(operable), "stack"))
		}
		if found, err := journal.Read(); err == nil && found && journal.Unfinished() > 0 && !r.reads() {
			r.say("the last run, fleet %s, did not complete %d of its stacks: --resume would continue with them; this is a new run", journal.Operation, journal.Unfinished())
		}
	}
	var faults fault.Faults
	for _, m := range selected {
		faults = append(faults, faulty[m.ID]...)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if err := fleet.Conflicts(selected, all); err != nil {
		return nil, err
	}
	if r.Operation == gates.Up || r.Operation == gates.Preview {
		for _, sentence := range fleet.Overlaps(selected, all) {
			r.say("warning: %s", sentence)
		}
	}
	lists := map[string][]backend.Stack{}
	jobs, err := fleet.Plan(selected, all, waves, r.Operation == gates.Destroy, func(m fleetrun.Member) (bool, error) { return r.exists(ctx, m, lists) })
	if err != nil {
		return nil, err
	}
	for _, job := range jobs {
		if was, known := earlier[job.ID]; known {
			job.Wave = was.Wave
		}
		if !r.ordered() {
			job.After = nil
		}
	}
	// Changes that were begun are continued before others are begun.
	begun := slices.DeleteFunc(slices.Clone(jobs), func(job *FleetJob) bool { return !earlier[job.ID].Open })
	others := slices.DeleteFunc(jobs, func(job *FleetJob) bool { return earlier[job.ID].Open })
	return append(begun, others...), nil
}

// begun returns the members that a destroy to be resumed was for, without those that were made again since.
func (r *fleetRun) begun(ctx context.Context, journal *fleet.Journal, members []fleetrun.Member) (same []fleetrun.Member, err error) {
	for _, m := range members {
		session, err := r.session(ctx, m.Dir)
		if err != nil {
			return nil, err
		}
		deployment, err := session.StateOf(ctx, m.Stack)
		if err != nil {
			return nil, err
		}
		if journal.MadeAgain(deployment) {
			r.say("stack %s was made again after the run to be resumed began, and is not destroyed: `hypershift-aws destroy -s %s` is for it alone",
				m.ID, m.Stack)
			continue
		}
		same = append(same, m)
	}
	return same, nil
}

func (r *fleetRun) session(ctx context.Context, dir string) (*workspace.Session, error) {
	p, err := r.project(dir)
	if err != nil {
		return nil, err
	}
	return p.share(ctx, r.Interrupts.engine)
}

package fleetcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/project"
)

// run runs an operation on the selected stacks.
func run(ctx context.Context, c *invocation.Invocation, o options, op stackCommand) error {
	limits, err := o.limits()
	if err != nil {
		return err
	}
	if c.Stack != "" {
		return invocation.Refuse("fleet runs on many stacks: use --select %s instead of -s", c.Stack)
	}
	if op.question != "" {
		if err := c.CanConfirm("fleet " + op.name); err != nil {
			return err
		}
	}
	all, faulty, err := load(c)
	if err != nil {
		return err
	}
	home, err := project.Open(all[0].Dir)
	if err != nil {
		return err
	}
	where, err := c.Environment(home)
	if err != nil {
		return err
	}
	if err := home.MakeOwnDir(); err != nil {
		return err
	}
	dir := filepath.Join(where.Folder(), "fleet") // of the journal, the logs and the locks
	if op.reads {
		dir = filepath.Join(where.Folder(), "fleet-"+op.name)
	}
	journal, err := fleet.OpenJournal(dir)
	if err != nil {
		return err
	}
	defer journal.Close()
	opened := &sessions{c: c, byDir: map[string]*operation.Session{}}
	jobs, err := plan(ctx, c, opened, o, op, journal, all, faulty)
	if err != nil || len(jobs) == 0 {
		return err
	}
	c.Say("%s", planText(op.name, jobs, limits))
	if op.creates {
		if err := checkQuotas(ctx, c, opened, op, jobs, limits.Parallel); err != nil {
			return err
		}
	}
	if op.question != "" && !c.Yes {
		if err := c.Confirm(op.question); err != nil {
			return err
		}
	}
	session, err := opened.of(ctx, home.Dir)
	if err != nil {
		return err
	}
	kubernetes := slices.ContainsFunc(jobs, func(job *fleet.Job) bool { return job.Kubernetes })
	if err := session.InstallPlugins(ctx, kubernetes); err != nil {
		return err
	}
	if !o.resume {
		if err := journal.Begin(op.name, c.Offline, jobs); err != nil {
			return err
		}
	}
	return carryOut(c, op, limits, jobs, journal, dir, where.Label())
}

// carryOut runs the jobs and reports their progress and results.
func carryOut(c *invocation.Invocation, op stackCommand, limits fleet.Limits, jobs []*fleet.Job, journal *fleet.Journal, dir, label string) error {
	executable := c.Streams.Executable
	if executable == "" {
		var err error
		if executable, err = os.Executable(); err != nil {
			return fmt.Errorf("finding this program, which runs each stack: %w", err)
		}
	}
	// The stacks of one run share the answer of a management cluster.
	answers, err := os.MkdirTemp("", "hypershift-aws-fleet")
	if err != nil {
		return fmt.Errorf("creating a folder for what management clusters answer: %w", err)
	}
	defer os.RemoveAll(answers) //nolint:errcheck // the system cleans its temporary folder
	show := &show{c: c, op: op.name, label: label, markdown: op.markdown, progress: fleet.NewProgress(len(jobs), time.Now)}
	processes := &fleet.Processes{
		Executable: executable, Environ: c.Streams.Environ.With(operation.AnswersVariable, answers), Dir: dir, ChangesFail: op.ordered, Line: show.forward,
		Args: func(job *fleet.Job) []string { return slices.Concat(c.SharedArgs(), []string{op.name}, op.args(job)) },
	}
	c.Interrupts.OnInterrupt(func(count int) {
		show.interrupted(count)
		if count > 1 {
			processes.Interrupt()
		}
	})
	began := time.Now()
	c.ShowBlock(show.progress.Rows)
	r := fleet.Run{Jobs: jobs, Limits: limits, Operate: processes.Operate, Stop: c.Interrupts.First(), Journal: journal, Observer: show}
	outcomes, err := r.Do()
	c.ShowBlock(nil)
	if err != nil {
		return err
	}
	return show.summary(jobs, outcomes, time.Since(began))
}

// load reads the stacks of the folders.
func load(c *invocation.Invocation) ([]fleet.Member, map[string]fault.Faults, error) {
	names := c.Dirs
	if len(names) == 0 {
		names = []string{"."}
	}
	dirs, err := fleet.Folders(names)
	if err != nil {
		return nil, nil, err
	}
	all, faulty, err := fleet.Load(dirs)
	if err == nil && len(all) == 0 {
		err = &failure.Error{Reason: failure.Refused, Problem: fmt.Sprintf("no stack has a file in %s", dirs[0]), Remedy: "create them with `hypershift-aws fleet new -f clusters.csv`"}
	}
	return all, faulty, err
}

// plan selects, checks and orders the stacks, by the flags or by the journal. It returns none if nothing is left to do.
func plan(
	ctx context.Context, c *invocation.Invocation, opened *sessions, o options, op stackCommand, journal *fleet.Journal, all []fleet.Member,
	faulty map[string]fault.Faults,
) ([]*fleet.Job, error) {
	waves, err := fleet.ParseWaves(o.waves)
	if err != nil {
		return nil, err
	}
	selector, err := fleet.ParseSelector(o.selects)
	if err != nil {
		return nil, err
	}
	var selected []fleet.Member
	var given map[string]int
	if o.resume {
		if selected, given, err = journal.Resume(op.name, c.Offline, all); err != nil {
			return nil, err
		}
		if len(selected) == 0 {
			c.Say("nothing to resume: all stacks of the last run have succeeded")
			return nil, nil
		}
	} else {
		for _, m := range all {
			if _, wrong := faulty[m.ID]; wrong && selector.MayMatch(m) || selector.Matches(m) {
				selected = append(selected, m)
			}
		}
		if len(selected) == 0 {
			return nil, invocation.Refuse("--select: none of the %d stacks is selected", len(all))
		}
		if found, err := journal.Read(); err == nil && found && journal.Unfinished() > 0 {
			c.Say("the last run, fleet %s, did not complete %d of its stacks: --resume would continue with them; this is a new run", journal.Operation, journal.Unfinished())
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
	for _, sentence := range fleet.Overlaps(selected, all) {
		c.Say("warning: %s", sentence)
	}
	jobs, err := fleet.Plan(selected, all, waves, op.reverse, existing(ctx, opened))
	if err != nil {
		return nil, err
	}
	for _, job := range jobs {
		if wave, known := given[job.ID]; known {
			job.Wave = wave
		}
		if !op.ordered {
			job.Independent()
		}
	}
	return jobs, nil
}

// sessions opens a session for each folder when it is first needed.
type sessions struct {
	c     *invocation.Invocation
	byDir map[string]*operation.Session
}

func (s *sessions) of(ctx context.Context, dir string) (*operation.Session, error) {
	if session := s.byDir[dir]; session != nil {
		return session, nil
	}
	p, err := project.Open(dir)
	if err != nil {
		return nil, err
	}
	session, err := s.c.Session(ctx, p)
	if err == nil {
		s.byDir[dir] = session
	}
	return session, err
}

// existing reports whether the management stack that a stack names has a state, though it has no file.
func existing(ctx context.Context, opened *sessions) func(fleet.Member) (bool, error) {
	lists := map[string][]operation.StackInfo{}
	return func(m fleet.Member) (bool, error) {
		list, known := lists[m.Dir]
		if !known {
			session, err := opened.of(ctx, m.Dir)
			if err != nil {
				return false, err
			}
			if list, err = session.List(ctx); err != nil {
				return false, err
			}
			lists[m.Dir] = list
		}
		return slices.ContainsFunc(list, func(info operation.StackInfo) bool { return info.Name == filepath.Base(m.Management) && info.HasState }), nil
	}
}

package fleet

import (
	"context"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// plan selects, checks and orders the stacks, by the options or by the journal. It returns none if nothing is left to
// do.
func (f *fleet) plan(
	ctx context.Context, journal *Journal, all []fleetrun.Member, faulty map[string]fault.Faults,
) ([]*fleetrun.Job, error) {
	waves, err := ParseWaves(f.Waves)
	if err != nil {
		return nil, err
	}
	selected, earlier, err := f.selection(ctx, journal, all, faulty)
	if err != nil || len(selected) == 0 {
		return nil, err
	}
	var faults fault.Faults
	for _, m := range selected {
		faults = append(faults, faulty[m.ID]...)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if err := Conflicts(selected, all); err != nil {
		return nil, err
	}
	if f.Operation == gates.Up || f.Operation == gates.Preview {
		for _, sentence := range Overlaps(selected, all) {
			f.say("warning: %s", sentence)
		}
	}
	lists := map[string][]backend.Stack{}
	exists := func(m fleetrun.Member) (bool, error) { return f.exists(ctx, m, lists) }
	jobs, err := Plan(selected, all, waves, f.Operation == gates.Destroy, exists)
	if err != nil {
		return nil, err
	}
	for _, job := range jobs {
		if was, known := earlier[job.ID]; known {
			job.Wave = was.Wave
		}
		if !f.ordered() {
			job.After = nil
		}
	}
	// Changes that were begun are continued before others are begun.
	begun := slices.DeleteFunc(slices.Clone(jobs), func(job *fleetrun.Job) bool { return !earlier[job.ID].Open })
	others := slices.DeleteFunc(jobs, func(job *fleetrun.Job) bool { return earlier[job.ID].Open })
	return append(begun, others...), nil
}

// selection returns the stacks that the options select. Those of a run that is resumed have an earlier entry in the
// journal.
func (f *fleet) selection(
	ctx context.Context, journal *Journal, all []fleetrun.Member, faulty map[string]fault.Faults,
) (selected []fleetrun.Member, earlier map[string]Entry, err error) {
	selector, err := ParseSelector(f.Select)
	if err != nil {
		return nil, nil, err
	}
	without := func(m fleetrun.Member) bool { return m.Path == "" && f.needsFiles() }
	operable := slices.DeleteFunc(slices.Clone(all), without)
	if f.Resume {
		selected, earlier, err = journal.Resume(string(f.Operation), f.Offline, operable)
		if err == nil && f.Operation == gates.Destroy {
			selected, err = f.begun(ctx, journal, selected)
		}
		if err == nil && len(selected) == 0 {
			f.say("nothing to resume: all stacks of the last run have succeeded")
		}
		return selected, earlier, err
	}
	for _, m := range operable {
		if _, wrong := faulty[m.ID]; wrong && selector.MayMatch(m) || selector.Matches(m) {
			selected = append(selected, m)
		}
	}
	if len(selected) == 0 {
		stacks := report.Number(len(operable), "stack")
		return nil, nil, gate.Refuse("--select matches none of %s; `hypershift-aws stacks` lists their names", stacks)
	}
	if found, err := journal.Read(); err == nil && found && journal.Unfinished() > 0 && !f.reads() {
		f.say("the last run, fleet %s, did not complete %d of its stacks: --resume would continue with them; this is a new run",
			journal.Operation, journal.Unfinished())
	}
	return selected, nil, nil
}

// begun returns the members that a destroy to be resumed was for, without those that were made again since.
func (f *fleet) begun(
	ctx context.Context,
	journal *Journal,
	members []fleetrun.Member,
) (same []fleetrun.Member, err error) {
	for _, m := range members {
		session, err := f.session(ctx, m.Dir)
		if err != nil {
			return nil, err
		}
		deployment, err := session.StateOf(ctx, m.Stack)
		if err != nil {
			return nil, err
		}
		if journal.MadeAgain(deployment) {
			f.say("stack %s was made again after the run to be resumed began, and is not destroyed: "+
				"`hypershift-aws destroy -s %s` is for it alone", m.ID, m.Stack)
			continue
		}
		same = append(same, m)
	}
	return same, nil
}

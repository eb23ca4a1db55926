package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
)

// Observer receives the events of a run. It is called from one goroutine at a time.
type Observer interface {
	Started(job *fleetrun.Job)
	Ended(job *fleetrun.Job, outcome fleetrun.Outcome)
	Note(sentence string)
}

// Run is one operation on many stacks.
type Run struct {
	Jobs   []*fleetrun.Job
	Limits fleetrun.Limits
	// Operate runs the operation on one stack to its end. It is called from several goroutines.
	Operate func(job *fleetrun.Job) fleetrun.Outcome
	// Stop is closed when no more stacks are to be started.
	Stop     <-chan struct{}
	Journal  *Journal
	Observer Observer
	// After is time.After, except in tests with another clock.
	After func(time.Duration) <-chan time.Time

	outcomes map[*fleetrun.Job]fleetrun.Outcome
	results  chan ended
	// running is how many stacks of each account are in progress, total how many of all.
	running map[string]int
	total   int
	// reason is why no more stacks are started, "" if stacks can be started.
	reason string
	// journalErr is the first failure to write the journal.
	journalErr error
}

// ended is a job and how it ended.
type ended struct {
	job     *fleetrun.Job
	outcome fleetrun.Outcome
}

// reasonInterrupted is why no more stacks are started after a signal.
const reasonInterrupted = "interrupted"

// retryEvery is the time between two attempts on a locked stack.
const retryEvery = 2 * time.Second

// Do runs the jobs, wave by wave, and returns the outcome of each. If a stack fails, the operations in progress on
// others continue, but the run may start no more. A wave is started when all stacks of the previous one have succeeded.
// The error is an error of the journal.
func (r *Run) Do() (map[*fleetrun.Job]fleetrun.Outcome, error) {
	r.outcomes, r.running, r.results = map[*fleetrun.Job]fleetrun.Outcome{}, map[string]int{}, make(chan ended)
	if r.After == nil {
		r.After = time.After
	}
	waves := map[int][]*fleetrun.Job{}
	for _, job := range r.Jobs {
		waves[job.Wave] = append(waves[job.Wave], job)
	}
	for _, number := range slices.Sorted(maps.Keys(waves)) {
		r.wave(waves[number])
		for _, job := range waves[number] {
			if outcome, begun := r.outcomes[job]; begun && !done(outcome.Status) {
				r.halt(fmt.Sprintf("stack %s of wave %d did not succeed", job.ID, number))
			}
		}
	}
	for _, job := range r.Jobs {
		if _, begun := r.outcomes[job]; !begun {
			r.outcomes[job] = fleetrun.Outcome{Status: fleetrun.Skipped, Problem: r.whyNot(job)}
		}
	}
	return r.outcomes, r.journalErr
}

// wave runs the jobs of one wave until none is in progress and none can be started.
func (r *Run) wave(jobs []*fleetrun.Job) {
	var waited time.Duration
	for {
		for job := r.next(jobs); job != nil; job = r.next(jobs) {
			r.start(job)
		}
		if r.total > 0 {
			r.await()
			continue
		}
		if r.reason != "" || waited >= r.Limits.LockWait || !r.unlock(jobs) {
			return
		}
		waited += retryEvery
	}
}

// next returns a job that can be started now, or nil for none.
func (r *Run) next(jobs []*fleetrun.Job) *fleetrun.Job {
	if r.reason != "" || r.total >= r.Limits.Parallel || r.Limits.MaxOpen > 0 && r.total+r.open() >= r.Limits.MaxOpen {
		return nil
	}
	for _, job := range jobs {
		if _, begun := r.outcomes[job]; !begun && r.running[job.Account] < r.Limits.PerAccount && r.blocker(job) == nil {
			return job
		}
	}
	return nil
}

// open counts the stacks with a change that a further update continues.
func (r *Run) open() int {
	open := 0
	for _, outcome := range r.outcomes {
		if outcome.Open {
			open++
		}
	}
	return open
}

// blocker returns a job that must succeed before another is started, and has not; nil for none.
func (r *Run) blocker(job *fleetrun.Job) *fleetrun.Job {
	for _, before := range job.After {
		if !done(r.outcomes[before].Status) {
			return before
		}
	}
	return nil
}

func (r *Run) start(job *fleetrun.Job) {
	r.note(job, fleetrun.Outcome{Status: fleetrun.Running})
	if r.reason != "" {
		delete(r.outcomes, job) // the journal cannot be written
		return
	}
	r.running[job.Account]++
	r.total++
	r.Observer.Started(job)
	go func() {
		began := time.Now()
		outcome := r.Operate(job)
		outcome.Took = time.Since(began)
		r.results <- ended{job, outcome}
	}()
}

// await waits until a job in progress has ended, and decides whether more are started.
func (r *Run) await() {
	select {
	case <-r.stop():
		r.halt(reasonInterrupted)
	case e := <-r.results:
		r.running[e.job.Account]--
		r.total--
		r.note(e.job, e.outcome)
		r.Observer.Ended(e.job, e.outcome)
		failures := 0
		for _, outcome := range r.outcomes {
			if outcome.Status == fleetrun.Failed {
				failures++
			}
		}
		switch {
		case e.outcome.Status == fleetrun.Stopped:
			r.halt(reasonInterrupted)
		case e.outcome.Backend:
			r.halt("the backend cannot be used")
		case r.Limits.MaxFailures > 0 && failures >= r.Limits.MaxFailures:
			r.halt(fmt.Sprintf("stacks that have failed: %d", failures))
		case r.Limits.MaxOpen > 0 && r.open() >= r.Limits.MaxOpen:
			r.halt(fmt.Sprintf("stacks with a change that continues in stages: %d", r.open()))
		}
	}
}

// stop returns r.Stop, or nil once the run has reacted to it.
func (r *Run) stop() <-chan struct{} {
	if r.reason != "" {
		return nil
	}
	return r.Stop
}

// unlock waits, and makes the locked stacks of a wave eligible again. It reports whether there are any.
func (r *Run) unlock(jobs []*fleetrun.Job) bool {
	var locked []*fleetrun.Job
	for _, job := range jobs {
		if r.outcomes[job].Status == fleetrun.Locked {
			locked = append(locked, job)
		}
	}
	if len(locked) == 0 {
		return false
	}
	r.Observer.Note(fmt.Sprintf("locked by another update: %s; trying again", names(locked)))
	select {
	case <-r.After(retryEvery):
	case <-r.stop():
		r.halt(reasonInterrupted)
		return false
	}
	for _, job := range locked {
		delete(r.outcomes, job)
	}
	return true
}

func names(jobs []*fleetrun.Job) string {
	const most = 5
	var ids []string
	for i, job := range jobs {
		if i == most {
			ids = append(ids, fmt.Sprintf("%d more", len(jobs)-most))
			break
		}
		ids = append(ids, job.ID)
	}
	return strings.Join(ids, ", ")
}

// note stores an outcome, also in the journal.
func (r *Run) note(job *fleetrun.Job, outcome fleetrun.Outcome) {
	r.outcomes[job] = outcome
	if err := r.Journal.Note(job, outcome); err != nil && r.journalErr == nil {
		r.journalErr = err
		r.halt("the journal cannot be written")
	}
}

// halt prevents further stacks from being started.
func (r *Run) halt(reason string) {
	if r.reason == "" {
		r.reason = reason
	}
}

func (r *Run) whyNot(job *fleetrun.Job) string {
	if before := r.blocker(job); before != nil && r.outcomes[before].Status != fleetrun.Skipped {
		return fmt.Sprintf("it depends on stack %s, which did not succeed", before.ID)
	}
	return r.reason
}

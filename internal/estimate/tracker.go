package estimate

import (
	"sync"
	"time"
)

// Tracker estimates the remaining time of an update in progress. Its methods may be called from several goroutines.
type Tracker struct {
	steps    []Step
	seconds  Seconds
	parallel int

	mu    sync.Mutex
	began map[string]time.Time
	done  map[string]bool
}

// NewTracker follows the steps of a plan.
func NewTracker(steps []Step, seconds Seconds, parallel int) *Tracker {
	return &Tracker{steps: steps, seconds: seconds, parallel: parallel, began: map[string]time.Time{}, done: map[string]bool{}}
}

// Began records the start of a step.
func (t *Tracker) Began(op Op, urn string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began[Step{URN: urn, Op: op}.key()] = now
}

// Done records the end of a step.
func (t *Tracker) Done(op Op, urn string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[Step{URN: urn, Op: op}.key()] = true
}

// Left returns the remaining time of the steps that are not done. A step that already took longer than usual counts as about to end.
func (t *Tracker) Left(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	var open []Step
	for _, s := range t.steps {
		if !t.done[s.key()] {
			open = append(open, s)
		}
	}
	return schedule(open, func(s Step) time.Duration {
		takes := fromSeconds(t.seconds(s.Op, s.Type))
		if began, ok := t.began[s.key()]; ok {
			takes = max(0, takes-now.Sub(began))
		}
		return takes
	}, t.parallel).Total
}

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

// NewTracker follows the steps of a plan. Without seconds it counts them only.
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

// Timed reports whether the remaining time is estimated.
func (t *Tracker) Timed() bool { return t.seconds != nil }

// Left returns the remaining time of the steps that are not done, 0 unless it is timed. A step that already took longer than usual counts as about to end.
func (t *Tracker) Left(now time.Time) time.Duration {
	if !t.Timed() {
		return 0
	}
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

// Count returns how many resources are done, how many have begun and are not done, and how many there are.
func (t *Tracker) Count() (done, running, all int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	open, begun := map[string]bool{}, map[string]bool{}
	for _, s := range t.steps {
		open[s.URN] = open[s.URN] || !t.done[s.key()]
		_, began := t.began[s.key()]
		begun[s.URN] = begun[s.URN] || began
	}
	for urn, unfinished := range open {
		switch {
		case !unfinished:
			done++
		case begun[urn]:
			running++
		}
	}
	return done, running, len(open)
}

// Waiting returns how many resources have not begun and wait, directly or through others, for the end of a step.
func (t *Tracker) Waiting(op Op, urn string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	after, open := map[string][]string{}, map[string]bool{}
	for _, s := range t.steps {
		if (s.Op == Delete) != (op == Delete) || t.done[s.key()] {
			continue
		}
		_, began := t.began[s.key()]
		open[s.URN] = !began
		for _, on := range s.DependsOn {
			if op == Delete {
				after[s.URN] = append(after[s.URN], on) // deleted before what it depends on
			} else {
				after[on] = append(after[on], s.URN)
			}
		}
	}
	seen := map[string]bool{urn: true}
	for queue := []string{urn}; len(queue) > 0; queue = queue[1:] {
		for _, next := range after[queue[0]] {
			if open[next] && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return len(seen) - 1
}

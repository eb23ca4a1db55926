package estimate

import (
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

var _ forecast.Remaining = (*Tracker)(nil)

// Tracker estimates the remaining time of an update in progress. Its methods may be called from several goroutines.
type Tracker struct {
	steps    []forecast.Step
	seconds  Seconds
	parallel int

	mu    sync.Mutex
	began map[string]time.Time
	done  map[string]bool
}

// NewTracker follows the steps of a plan. Without seconds it counts them only.
func NewTracker(steps []forecast.Step, seconds Seconds, parallel int) *Tracker {
	return &Tracker{
		steps:    steps,
		seconds:  seconds,
		parallel: parallel,
		began:    map[string]time.Time{},
		done:     map[string]bool{},
	}
}

// Follow records the start or the end of an operation on a resource.
func (t *Tracker) Follow(e *event.Resource, now time.Time) {
	switch op := Operation(e); {
	case op == "":
	case e.Status == event.StatusStarted:
		t.begin(op, e.URN, now)
	default:
		t.end(op, e.URN)
	}
}

// begin records the start of a step.
func (t *Tracker) begin(op forecast.Op, urn string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began[key(forecast.Step{URN: urn, Op: op})] = now
}

// end records the end of a step.
func (t *Tracker) end(op forecast.Op, urn string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[key(forecast.Step{URN: urn, Op: op})] = true
}

// Timed reports whether the remaining time is estimated.
func (t *Tracker) Timed() bool { return t.seconds != nil }

// Left returns the remaining time of the steps that are not done, 0 unless it is timed. A step that already took longer
// than usual counts as about to end.
func (t *Tracker) Left(now time.Time) time.Duration {
	if !t.Timed() {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var open []forecast.Step
	for _, s := range t.steps {
		if !t.done[key(s)] {
			open = append(open, s)
		}
	}
	return schedule(open, func(s forecast.Step) time.Duration {
		takes := fromSeconds(t.seconds(s.Op, s.Type))
		if began, ok := t.began[key(s)]; ok {
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
		open[s.URN] = open[s.URN] || !t.done[key(s)]
		_, began := t.began[key(s)]
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

// Waiting returns how many resources have not begun and wait, directly or through others, for the end of an operation.
func (t *Tracker) Waiting(e *event.Resource) int { return t.waiting(Operation(e), e.URN) }

func (t *Tracker) waiting(op forecast.Op, urn string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	after, open := map[string][]string{}, map[string]bool{}
	for _, s := range t.steps {
		if (s.Op == forecast.Delete) != (op == forecast.Delete) || t.done[key(s)] {
			continue
		}
		_, began := t.began[key(s)]
		open[s.URN] = !began
		for _, on := range s.DependsOn {
			if op == forecast.Delete {
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

// Operation returns the operation of an event whose time is estimated, or "" for none.
func Operation(e *event.Resource) forecast.Op {
	switch e.Op { //nolint:exhaustive // the others take no time
	case apitype.OpCreate, apitype.OpCreateReplacement:
		return forecast.Create
	case apitype.OpImport, apitype.OpImportReplacement:
		return forecast.Import
	case apitype.OpUpdate:
		return forecast.Update
	case apitype.OpDelete, apitype.OpDeleteReplaced:
		return forecast.Delete
	}
	return ""
}

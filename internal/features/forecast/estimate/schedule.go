package estimate

import (
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Seconds is how long an operation on a type takes.
type Seconds func(op forecast.Op, token string) float64

// Schedule simulates the steps with a maximum number of operations at once, as the engine's --parallel; 0 is no limit.
// Steps wait in the given order. As in the engine, deletions begin after all other steps, in reverse order of
// dependencies.
func Schedule(steps []forecast.Step, seconds Seconds, parallel int) forecast.Time {
	return schedule(steps, func(s forecast.Step) time.Duration { return fromSeconds(seconds(s.Op, s.Type)) }, parallel)
}

func fromSeconds(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// task is a step in the simulation.
type task struct {
	step  forecast.Step
	takes time.Duration
	// waits is the number of tasks that must end first; then are the tasks that wait for this one.
	waits int
	then  []*task
	// ends is the time at which it ends, decider the task that it waited for last.
	ends    time.Duration
	decider *task
}

func schedule(steps []forecast.Step, takes func(forecast.Step) time.Duration, parallel int) forecast.Time {
	var made, deleted []*task
	for _, s := range steps {
		t := &task{step: s, takes: takes(s)}
		if s.Op == forecast.Delete {
			deleted = append(deleted, t)
		} else {
			made = append(made, t)
		}
	}
	link(made, func(waiting, on *task) { on.then, waiting.waits = append(on.then, waiting), waiting.waits+1 })
	link(deleted, func(waiting, on *task) { waiting.then, on.waits = append(waiting.then, on), on.waits+1 })
	last := simulate(made, nil, parallel)
	last = simulate(deleted, last, parallel)
	if last == nil {
		return forecast.Time{}
	}
	e := forecast.Time{Total: last.ends}
	for t := last; t != nil; t = t.decider {
		e.Chain = append(e.Chain, t.step)
	}
	slices.Reverse(e.Chain)
	return e
}

// link calls before for each dependency among the tasks.
func link(tasks []*task, before func(waiting, on *task)) {
	byURN := map[string]*task{}
	for _, t := range tasks {
		byURN[t.step.URN] = t
	}
	for _, t := range tasks {
		seen := map[string]bool{}
		for _, urn := range t.step.DependsOn {
			if on := byURN[urn]; on != nil && on != t && !seen[urn] {
				seen[urn] = true
				before(t, on)
			}
		}
	}
}

// simulate runs the tasks after a first one, and returns the one that ends last.
func simulate(tasks []*task, after *task, parallel int) *task {
	now, last := time.Duration(0), after
	if after != nil {
		now = after.ends
	}
	var ready, running []*task
	for _, t := range tasks {
		if t.waits == 0 {
			t.decider = after
			ready = append(ready, t)
		}
	}
	for len(ready) > 0 || len(running) > 0 {
		for len(ready) > 0 && (parallel <= 0 || len(running) < parallel) {
			t := ready[0]
			ready = ready[1:]
			t.ends = now + t.takes
			running = append(running, t)
		}
		next := 0
		for i, t := range running {
			if t.ends < running[next].ends {
				next = i
			}
		}
		ended := running[next]
		running = slices.Delete(running, next, next+1)
		now = ended.ends
		if last == nil || ended.ends >= last.ends {
			last = ended
		}
		for _, t := range ended.then {
			if t.waits--; t.waits == 0 {
				t.decider = ended
				ready = append(ready, t)
			}
		}
	}
	return last
}

// key identifies a step.
func key(s forecast.Step) string { return string(s.Op) + " " + s.URN }

// Typical returns how many seconds AWS takes for an operation on a type, by its record in awstype. It is one second for
// types without a record, and for updates and imports.
func Typical(op forecast.Op, token string) float64 {
	record, _ := awstype.Lookup(token)
	seconds := 0.0
	switch op {
	case forecast.Create:
		seconds = record.Seconds.Create
	case forecast.Delete:
		seconds = record.Seconds.Delete
	case forecast.Update, forecast.Import:
	}
	if seconds == 0 {
		return 1
	}
	return seconds
}

package moto

import (
	"slices"
	"strings"
	"time"
)

// Timed is a request with the time that it took.
type Timed struct {
	// Action is the IAM action, and Changes is true if it changes something.
	Action       string
	Changes      bool
	Began, Ended time.Time
	// ByProvider is true for a request of the engine's AWS provider, and false for one of this program.
	ByProvider bool
}

// Delay lets each request take that long in addition.
func (c *Calls) Delay(latency func(changes bool) time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latency = latency
}

// Timed returns the requests that have ended, in the order in which they began.
func (c *Calls) Timed() []Timed {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.Clone(c.timed)
	slices.SortFunc(list, func(a, b Timed) int { return a.Began.Compare(b.Began) })
	return list
}

// take lets a request take its time, and returns what notes its end.
func (c *Calls) take(action, agent string) (ended func()) {
	t := Timed{
		Action: action, Changes: action != "" && !reads.MatchString(action), Began: time.Now(),
		ByProvider: strings.Contains(agent, "Terraform"),
	}
	c.mu.Lock()
	latency := c.latency
	c.mu.Unlock()
	if latency != nil {
		time.Sleep(latency(t.Changes))
	}
	return func() {
		t.Ended = time.Now()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timed = append(c.timed, t)
	}
}

// UntilFirstChange returns the requests that ended before the first one began that changes something.
func UntilFirstChange(calls []Timed) []Timed {
	first := slices.IndexFunc(calls, func(t Timed) bool { return t.Changes })
	if first < 0 {
		return calls
	}
	return slices.DeleteFunc(slices.Clone(calls), func(t Timed) bool {
		return t.Changes || t.Ended.After(calls[first].Began)
	})
}

// Rounds returns how many of the requests were sent one after the other: the most of which each began after another
// one's end.
func Rounds(calls []Timed) (rounds int) {
	byEnd := slices.Clone(calls)
	slices.SortFunc(byEnd, func(a, b Timed) int { return a.Ended.Compare(b.Ended) })
	var last time.Time
	for _, t := range byEnd {
		if !t.Began.Before(last) {
			rounds, last = rounds+1, t.Ended
		}
	}
	return rounds
}

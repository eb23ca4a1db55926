package main

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

// progress is the events of one operation, for any number of readers.
type progress struct {
	stack     *automation.Stack
	operation string

	mu      sync.Mutex
	text    []string
	failure string
	ended   bool
	more    chan struct{} // closed at each change
}

// state is how far an operation is.
type state struct {
	Name    string `json:"name"`
	Running bool   `json:"running"`
	Problem string `json:"problem,omitempty"`
}

func newProgress(stack *automation.Stack, operation string) *progress {
	return &progress{stack: stack, operation: operation, more: make(chan struct{})}
}

func (p *progress) change(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	close(p.more)
	p.more = make(chan struct{})
}

// add adds what a person reads of an event, or the operation's error.
func (p *progress) add(event automation.Event, err error) {
	text := ""
	switch e := event.(type) {
	case *automation.ResourceEvent:
		text = fmt.Sprintf("%s %s %s", e.Op, e.Name, e.Status)
	case *automation.DiagnosticEvent:
		text = e.Message
	case *automation.SummaryEvent:
		text = fmt.Sprintf("%s %s: %d created, %d deleted", e.Operation, e.Result, e.Created, e.Deleted)
	}
	if err != nil {
		text = err.Error()
		p.change(func() { p.failure = text })
	}
	if text != "" {
		p.change(func() { p.text = append(p.text, text) })
	}
}

func (p *progress) end() { p.change(func() { p.ended = true }) }

func (p *progress) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	return state{p.operation, !p.ended, p.failure}
}

// lines returns what happened until now, and then what happens until the operation ends.
func (p *progress) lines(ctx context.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		for sent := 0; ; {
			p.mu.Lock()
			text, ended, more := p.text[sent:], p.ended, p.more
			p.mu.Unlock()
			for _, line := range text {
				if sent++; !yield(line) {
					return
				}
			}
			if ended {
				return
			}
			select {
			case <-more:
			case <-ctx.Done():
				return
			}
		}
	}
}

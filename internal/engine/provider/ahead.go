package provider

import (
	"errors"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// idle is how long a plugin runs before an engine uses it: its user may think about a plan.
const idle = time.Minute

// Ahead starts a plugin ahead of the engine that uses it. Close it.
//
// Each process is used by one engine, which attaches to it, and configures it as it would its own. It is not used by a
// second one: the second configuration of an AWS provider fails if there is a bundle of certificates, and keeps some of
// the first; and the engine cancels its plugins before it ends.
type Ahead struct {
	// Path is the plugin that an engine would start, Dir and Environ the folder and the environment in which it would.
	Path    string
	Dir     string
	Environ engine.Environ
	// Credentials identifies the credentials that the plugin finds: after a change, no earlier process is used.
	Credentials func() string

	mu     sync.Mutex
	next   *starting
	closed bool
}

// starting is a process that starts.
type starting struct {
	credentials string
	began       time.Time
	rest        *time.Timer
	// done is closed when it has started, or err is why it has not.
	done    chan struct{}
	process *Process
	err     error
}

// Begin begins to start a process for the next engine, unless there is one.
func (a *Ahead) Begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.next != nil {
		return
	}
	s := &starting{credentials: a.Credentials(), began: time.Now(), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.process, s.err = start(a.Path, a.Dir, a.Environ)
	}()
	s.rest = time.AfterFunc(idle, func() {
		a.mu.Lock()
		unused := a.next == s
		if unused {
			a.next = nil
		}
		a.mu.Unlock()
		if unused {
			s.end()
		}
	})
	a.next = s
}

// Started returns the process that was started for an engine; the caller ends it after the engine. It fails where there
// is none: the engine then starts its own.
func (a *Ahead) Started() (*Process, error) {
	a.mu.Lock()
	s := a.next
	a.next = nil
	a.mu.Unlock()
	if s == nil {
		return nil, errors.New("none was started in the last minute")
	}
	s.rest.Stop()
	<-s.done
	switch {
	case s.err != nil:
		return nil, s.err
	case s.credentials != a.Credentials():
		s.end()
		return nil, errors.New("the credentials have changed since it was started")
	case !s.process.runs():
		s.end()
		return nil, errors.New("it has ended")
	}
	return s.process, nil
}

// Close ends the process that no engine has used, and starts no more.
func (a *Ahead) Close() {
	a.mu.Lock()
	s := a.next
	a.next, a.closed = nil, true
	a.mu.Unlock()
	if s != nil {
		s.rest.Stop()
		s.end()
	}
}

// end ends a process once it has started.
func (s *starting) end() {
	<-s.done
	if s.process != nil {
		s.process.End()
	}
}

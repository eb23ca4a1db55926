package kubeapi

import (
	"context"
	"sync"
	"time"
)

// mostAsked is how long an API server that asks to try again later is waited for in addition.
const mostAsked = time.Minute

// clock is a context whose time begins with the first request that is sent with it.
type clock struct {
	context.Context
	done chan struct{}
	mu   sync.Mutex
	err  error
	// timer ends the context, nil before the first request is sent, at a time. asked is what was added to it.
	timer *time.Timer
	at    time.Time
	asked time.Duration
}

// Within returns a context in which an API server has d to answer. The time begins when the first request is sent: a
// plugin that gets credentials, such as a login in a browser, does not count as a server that is silent. A server that
// answers that it is too busy, with 429 and the time after which to ask again, has that time in addition, at most
// mostAsked in all.
func Within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	c := &clock{Context: ctx, done: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { c.end(ctx.Err()) })
	started := onSent(context.WithValue(c, clockKey{}, c), func() { c.start(d) })
	return started, func() {
		stop()
		c.end(context.Canceled)
	}
}

// clockKey is the key of the innermost clock of a context.
type clockKey struct{}

// askedToWait adds the time after which a server wants to be asked again to that of a request's context, and reports
// whether it could.
func askedToWait(ctx context.Context, more time.Duration) bool {
	c, _ := ctx.Value(clockKey{}).(*clock)
	return c != nil && c.extend(more)
}

func (c *clock) start(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil && c.err == nil {
		c.at = time.Now().Add(d)
		c.timer = time.AfterFunc(d, func() { c.end(context.DeadlineExceeded) })
	}
}

func (c *clock) extend(more time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || c.timer == nil || c.asked+more > mostAsked || !c.timer.Stop() {
		return false
	}
	c.asked, c.at = c.asked+more, c.at.Add(more)
	c.timer.Reset(time.Until(c.at))
	return true
}

// Done implements context.Context.
func (c *clock) Done() <-chan struct{} { return c.done }

// Err implements context.Context.
func (c *clock) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *clock) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.done)
	}
	if c.timer != nil {
		c.timer.Stop()
	}
}

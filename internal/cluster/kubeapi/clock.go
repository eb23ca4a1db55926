package kubeapi

import (
	"context"
	"sync"
	"time"
)

// clock is a context whose time begins with the first request that is sent with it.
type clock struct {
	context.Context
	done    chan struct{}
	started sync.Once
	mu      sync.Mutex
	err     error
}

// Within returns a context in which an API server has d to answer. The time begins when the first request is sent: a
// plugin that gets credentials, such as a login in a browser, does not count as a server that is silent.
func Within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	c := &clock{Context: ctx, done: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { c.end(ctx.Err()) })
	started := onSent(c, func() {
		c.started.Do(func() { time.AfterFunc(d, func() { c.end(context.DeadlineExceeded) }) })
	})
	return started, func() {
		stop()
		c.end(context.Canceled)
	}
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
}

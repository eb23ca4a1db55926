package offline

import (
	"net"
	"sync"
)

// single is a listener that yields one connection and ends with it.
type single struct {
	conn net.Conn
	once sync.Once
	over chan struct{}
	mu   sync.Mutex
	used bool
}

var _ net.Listener = (*single)(nil)

func newSingle(conn net.Conn) *single {
	return &single{conn: conn, over: make(chan struct{})}
}

func (l *single) Accept() (net.Conn, error) {
	l.mu.Lock()
	first := !l.used
	l.used = true
	l.mu.Unlock()
	if first {
		return &ending{Conn: l.conn, end: l}, nil
	}
	<-l.over
	return nil, net.ErrClosed
}

func (l *single) Close() error {
	l.once.Do(func() { close(l.over) })
	return nil
}

func (l *single) Addr() net.Addr { return l.conn.LocalAddr() }

// ending closes its listener when it is closed.
type ending struct {
	net.Conn
	end *single
}

func (c *ending) Close() error {
	_ = c.end.Close()
	return c.Conn.Close()
}

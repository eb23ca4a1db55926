package plugin

import (
	"net"
	"sync"
)

// listener is a listener that yields one connection and ends with it.
type listener struct {
	conn net.Conn
	once sync.Once
	over chan struct{}
	mu   sync.Mutex
	used bool
}

var _ net.Listener = (*listener)(nil)

// OneConnection returns a listener that accepts one connection, which exists already.
func OneConnection(conn net.Conn) *listener {
	return &listener{conn: conn, over: make(chan struct{})}
}

func (l *listener) Accept() (net.Conn, error) {
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

func (l *listener) Close() error {
	l.once.Do(func() { close(l.over) })
	return nil
}

func (l *listener) Addr() net.Addr { return l.conn.LocalAddr() }

// ending closes its listener when it is closed.
type ending struct {
	net.Conn
	end *listener
}

func (c *ending) Close() error {
	_ = c.end.Close()
	return c.Conn.Close()
}

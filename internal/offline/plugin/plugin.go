// Package plugin is the common part of the two offline providers as plugins of the engine.
package plugin

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil/rpcerror"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Base implements the calls that are the same in every provider that the engine attaches to.
type Base struct {
	pulumirpc.UnimplementedResourceProviderServer
}

// ErrNotConfigured is the error of a call before Configure.
var ErrNotConfigured = errors.New("the provider is not configured yet")

// Attach does nothing: the provider never calls the engine.
func (Base) Attach(context.Context, *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// Handshake negotiates the protocol. Secrets and references are sent as plain values: the engine marks secrets again in
// what it sent.
func (Base) Handshake(
	context.Context, *pulumirpc.ProviderHandshakeRequest,
) (*pulumirpc.ProviderHandshakeResponse, error) {
	return &pulumirpc.ProviderHandshakeResponse{}, nil
}

// Cancel does nothing: no call takes long.
func (Base) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// InitFailed returns the error of a resource that was created but is not ready: the engine stores the resource with its
// errors.
func InitFailed(id string, err error, state props.Map) error {
	properties, marshalErr := props.Marshal(state)
	if marshalErr != nil {
		return marshalErr
	}
	return rpcerror.WithDetails(rpcerror.New(codes.Unknown, err.Error()), &pulumirpc.ErrorResourceInitFailed{
		Id: id, Properties: properties, Reasons: []string{err.Error()},
	})
}

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

package pulumishim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// overGRPC begins a value of --event-log that makes the engine send its events to a server.
const overGRPC = "tcp://"

// relay receives the events of the engine, and passes them on to the caller's log of events, a file or a server.
type relay struct {
	pulumirpc.UnimplementedEventsServer
	address string
	close   func()
	// to is the caller's log, "" if it has none.
	to string

	mu sync.Mutex
	// reader receives the events of the engine that runs; reading counts its streams.
	reader  chan<- events.EngineEvent
	reading sync.WaitGroup
	// file and stream are the caller's log, once it is open. broken is true if the caller no longer reads.
	file   *os.File
	conn   *grpc.ClientConn
	stream grpc.ClientStreamingClient[pulumirpc.EventRequest, emptypb.Empty]
	broken bool
}

// serve begins to receive events.
func serveRelay(to string) (*relay, error) {
	r := &relay{to: to}
	cancel := make(chan bool)
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{Cancel: cancel, Init: func(server *grpc.Server) error {
		pulumirpc.RegisterEventsServer(server, r)
		return nil
	}})
	if err != nil {
		return nil, fmt.Errorf("receiving the engine's events: %w", err)
	}
	r.address = fmt.Sprintf("%s127.0.0.1:%d", overGRPC, handle.Port)
	r.close = func() {
		close(cancel)
		<-handle.Done //nolint:errcheck // the engine has ended: its events were received
	}
	return r, nil
}

// passOn sends the events of the next engine to a channel, until the returned function is called after its end.
func (r *relay) passOn(reader chan<- events.EngineEvent) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reader = reader
	return func() {
		r.reading.Wait()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.reader = nil
	}
}

// StreamEvents implements pulumirpc.EventsServer: the engine opens one stream per operation.
func (r *relay) StreamEvents(stream grpc.ClientStreamingServer[pulumirpc.EventRequest, emptypb.Empty]) error {
	r.reading.Add(1)
	defer r.reading.Done()
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return stream.SendAndClose(&emptypb.Empty{})
		}
		if err != nil {
			return err // the engine was killed
		}
		r.pass(request)
		var event apitype.EngineEvent
		if json.Unmarshal([]byte(request.GetEvent()), &event) != nil {
			continue // of a kind that this version does not know
		}
		r.mu.Lock()
		reader := r.reader
		r.mu.Unlock()
		if reader != nil {
			reader <- events.EngineEvent{EngineEvent: event}
		}
	}
}

// pass passes an event on. A caller that no longer reads does not stop the engine.
func (r *relay) pass(request *pulumirpc.EventRequest) {
	if r.to == "" || r.broken {
		return
	}
	if r.file == nil && r.stream == nil {
		if r.broken = r.open() != nil; r.broken {
			return
		}
	}
	var err error
	if r.file != nil {
		_, err = io.WriteString(r.file, strings.TrimSpace(request.GetEvent())+"\n")
	} else {
		err = r.stream.Send(request)
	}
	r.broken = err != nil
}

// open opens the caller's log.
func (r *relay) open() (err error) {
	address, remote := strings.CutPrefix(r.to, overGRPC)
	if !remote {
		r.file, err = os.OpenFile(r.to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
		return err
	}
	if r.conn, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		rpcutil.GrpcChannelOptions()); err != nil {
		return err
	}
	r.stream, err = pulumirpc.NewEventsClient(r.conn).StreamEvents(context.Background())
	return err
}

// end ends the caller's log.
func (r *relay) end() {
	r.close()
	if r.stream != nil {
		_, _ = r.stream.CloseAndRecv() // the caller may have ended
	}
	if r.conn != nil {
		_ = r.conn.Close()
	}
	if r.file != nil {
		_ = r.file.Close()
	}
}

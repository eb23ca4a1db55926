// Package logging replaces the client of Google Cloud Logging when the engine is built. The engine uses it for `pulumi
// logs` of a stack that has Google's functions, and for nothing else; but it registers its messages at each start of
// the engine.
package logging

import (
	"context"
	"errors"

	pb "google.golang.org/genproto/googleapis/logging/v2"
)

// Client does nothing.
type Client struct{}

// LogEntryIterator is never reached.
type LogEntryIterator struct{}

var errNone = errors.New("this pulumi was built without Google Cloud Logging; install one from https://www.pulumi.com/docs/install")

// NewClient always fails.
func NewClient[Option any](context.Context, ...Option) (*Client, error) { return nil, errNone }

// ListLogEntries is never reached.
func (*Client) ListLogEntries(context.Context, *pb.ListLogEntriesRequest) *LogEntryIterator {
	return nil
}

// Next is never reached.
func (*LogEntryIterator) Next() (*pb.LogEntry, error) { return nil, errNone }

package report

import (
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// Event is an event with a JSON line of its own.
type Event interface {
	event.Event
	// Kind is the type of its JSON line.
	Kind() string
}

// FaultEvent is a fault of the input.
type FaultEvent struct {
	event.Marker
	fault.Fault
}

// ErrorEvent is why a command did not succeed: its last event.
type ErrorEvent struct {
	event.Marker

	Code     failure.Code `json:"code,omitempty"`
	Problem  string       `json:"problem"`
	Reason   string       `json:"reason"`
	Remedy   string       `json:"remedy,omitempty"`
	ExitCode int          `json:"exitCode"`
}

// Kind implements Event.
func (*FaultEvent) Kind() string { return "fault" }

// Kind implements Event.
func (*ErrorEvent) Kind() string { return "error" }

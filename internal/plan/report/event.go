package report

import (
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
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

	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path"`
	Value   any    `json:"value,omitempty"`
	Problem string `json:"problem"`
	Remedy  string `json:"remedy,omitempty"`
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

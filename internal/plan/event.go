package plan

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// RefusalEvent is why a gate refuses a plan: for the gate of guarded resources one of them, for the others the problem.
type RefusalEvent struct {
	event.Marker

	Gate    string       `json:"gate"`
	Code    failure.Code `json:"code,omitempty"`
	Problem string       `json:"problem,omitempty"`
	Remedy  string       `json:"remedy,omitempty"`
	*changes.Refusal
}

var _ report.Event = (*RefusalEvent)(nil)

// Kind implements report.Event.
func (*RefusalEvent) Kind() string { return "refusal" }

// RefusalEvents returns the events for a gate's error that refuses a plan.
func RefusalEvents(gate string, err error) []*RefusalEvent {
	var guard *changes.GuardError
	if errors.As(err, &guard) {
		var events []*RefusalEvent
		for _, r := range slices.Concat(changes.ByCause(guard.Refusals)...) {
			events = append(events, &RefusalEvent{Gate: gate, Remedy: r.Remedy, Refusal: &r})
		}
		return events
	}
	event := &RefusalEvent{Gate: gate, Problem: err.Error()}
	var known *failure.Error
	if fault.In(err) == nil && errors.As(err, &known) {
		event.Code, event.Problem, event.Remedy = known.Code, known.Problem, known.Remedy
	}
	return []*RefusalEvent{event}
}

// ReadEvent returns the event in a line of JSON that a command wrote, nil if it is none that a caller of commands
// needs.
func ReadEvent(line []byte) report.Event {
	var kind struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(line, &kind) != nil {
		return nil
	}
	for _, event := range []report.Event{
		&event.Resource{}, &event.Diagnostic{}, &event.Stages{}, &event.Summary{}, &report.FaultEvent{}, &report.ErrorEvent{},
		&RefusalEvent{},
	} {
		if event.Kind() == kind.Type && json.Unmarshal(line, event) == nil {
			return event
		}
	}
	return nil
}

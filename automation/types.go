package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

type (
	// Plan is what an operation would do or has done, resource by resource: Changed lists the steps that change a
	// resource, Counts counts them, and Before and After are the resources before and after a preview.
	Plan = changes.Plan
	// Step is the effect of a plan on one resource: its type, name and ID, the change, and the inputs before and after.
	Step = changes.Step
	// Difference is a resource that was changed or deleted outside the stack.
	Difference = changes.Difference
	// GuardError is the error of a plan that replaces or deletes what a running cluster depends on: each step with its
	// cause and its remedy.
	GuardError = changes.GuardError
	// GuardRefusal is a step of a plan that the guard refuses, with its cause and its remedy.
	GuardRefusal = changes.Refusal
	// Forecast is the estimates for a plan: its time, its cost, and the policies that it violates.
	Forecast = forecast.Forecast
	// Remaining follows an operation in progress: Count returns how much is done, and Left the estimated remaining time.
	Remaining = forecast.Remaining
	// Recovered is what Repair found out about an interrupted operation on one resource.
	Recovered = takeover.Found
	// AmbiguousError is the error of a recovery that found several resources that may be one interrupted creation.
	AmbiguousError = takeover.AmbiguousError
	// Gate describes what may refuse operations: its name, what it refuses and why, the operations that ask it, and what
	// it reads.
	Gate = gates.Gate
	// Operation is what runs on a stack: "up", "preview", "destroy" and so on.
	Operation = gates.Operation
	// Error is a problem with its remedy. Errors of operations wrap one, or a GuardError, or list the faults of the
	// stack's file.
	Error = failure.Error
	// Reason is why something was not done.
	Reason = failure.Reason
)

// The reasons.
const (
	// Failed is an operation that did not succeed or could not be started.
	Failed = failure.Failed
	// Refused is input that cannot work, a gate's refusal, or a missing decision.
	Refused = failure.Refused
	// ChangesFound is a difference where none was expected.
	ChangesFound = failure.ChangesFound
	// Conflict is a stack that is in use, or that is not what it was expected to be.
	Conflict = failure.Conflict
	// Interrupted is an operation that was stopped.
	Interrupted = failure.Interrupted
)

// ReasonOf returns the reason of an operation's error. A GuardError and faults of a stack's file are Refused.
func ReasonOf(err error) Reason { return run.ReasonOf(err) }

// Events of an operation on a resource, of the engine and of this package.
type (
	// ResourceEvent is a change in the status of the operation on one resource: started, done or failed.
	ResourceEvent = event.Resource
	// DiagnosticEvent is a message of the engine, a provider or the program.
	DiagnosticEvent = event.Diagnostic
	// NoteEvent is a message of this package about its own operation.
	NoteEvent = event.Note
	// StagesEvent are the changes that an update has begun and that a further update continues.
	StagesEvent = event.Stages
	// InterruptEvent is a signal to stop: of the run of a fleet, the first, the second or the third.
	InterruptEvent = event.Interrupt
	// SummaryEvent ends an operation of the engine: its result, its counts and its duration.
	SummaryEvent = event.Summary
)

// Event is an event of an operation: a pointer to one of the types of this package whose names end with Event. Those
// with a sentence for people have the method String.
type Event = event.Event

// Events of an operation on a stack.
type (
	// PlannedEvent is a plan with its forecast, before it is decided on.
	PlannedEvent = operation.Planned
	// DriftEvent is what a preview found to be changed or deleted outside the stack.
	DriftEvent = operation.Drift
	// RefusalEvent is a gate that would make Up refuse the previewed plan.
	RefusalEvent = operation.Refused
	// MessageEvent is a sentence for people; what it is about is also in the result.
	MessageEvent = operation.Message
	// BeganEvent is the start of an update or a deletion, which Remaining follows if it gets the operations on resources.
	BeganEvent = operation.Began
)

type (
	// Refusal is why a gate refuses an operation.
	Refusal = operation.Refusal
	// Question is a decision before something is changed.
	Question = operation.Question
	// Decide answers a question: true to go on. An error ends the operation too. Nothing has been changed when it is
	// called.
	Decide = operation.Decide
)

// Approve answers yes, except to a question that needs a name.
func Approve(_ context.Context, q Question) (bool, error) { return q.Name == "", nil }

// Package operation has what an operation on a stack asks the caller, and what it reports about itself: its plan, its
// refusals, its sentences. A program answers a Question by a Decide, and gets the other types as events of package
// automation.
package operation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
)

// Question is a decision before something is changed.
type Question struct {
	// Operation is what is about to be done.
	Operation gates.Operation
	// Stack is the stack's name, "" for a fleet and for a sweep without a stack.
	Stack string
	// Text is the question in words: "Carry out this plan?".
	Text string
	// Name is the name that a person must enter to confirm the deletion of a cluster or of a stack's state; "" for a
	// yes-or-no question.
	Name string
	// Machines is true if Name is the name of a Cluster of Cluster API, and false if it is the name of a hosted cluster.
	Machines bool
	// NodePools is true if node pools of the hosted cluster with Name are deleted, and not the cluster.
	NodePools bool
	// Plan is the plan to decide on, nil if nothing is planned yet.
	Plan *changes.Plan
	// Stage is true for a further stage of an update whose plan has more than was shown before.
	Stage bool
	// Living is why the cluster under which Resources are deleted may be alive, "" if it is not, or if it is deleted
	// first. Cluster is its name.
	Living, Cluster string
	Resources       []string
}

// Decide answers a question: true to go on. An error ends the operation too. Nothing has been changed when it is
// called, but by the stages before a Stage.
type Decide func(ctx context.Context, q Question) (bool, error)

// Refusal is why a gate refuses an operation.
type Refusal struct {
	// Gate is the gate's name.
	Gate string
	// Err is the problem with its remedy.
	Err error
}

// Planned is a plan with its forecast, before it is decided on.
type Planned struct {
	event.Marker

	// Operation is up, preview, destroy or another one that changes a stack.
	Operation gates.Operation
	// Stack is the stack's name.
	Stack string
	// Plan is what would change, and Forecast its time, cost and violated policies.
	Plan     *changes.Plan
	Forecast *forecast.Forecast
	// Refused are the steps of the plan that the guard refuses.
	Refused []changes.Refusal
}

// Drift is what a preview found to be changed or deleted outside the stack.
type Drift struct {
	event.Marker

	// Drift are the differences; none if AWS is as in the state.
	Drift []changes.Difference
}

// Refused is a gate that would make Up refuse the previewed plan.
type Refused struct {
	event.Marker

	Refusal
	// Fails is true if the preview fails with the same refusal.
	Fails bool
}

// Message is a sentence for people; what it is about is also in the result.
type Message struct {
	event.Marker

	// Text is the sentence.
	Text string
}

// String returns the sentence.
func (e *Message) String() string { return e.Text }

// Began is the start of an update or a deletion, which Remaining follows if it gets the operations on resources.
type Began struct {
	event.Marker

	// Remaining estimates the time that is left; nil if nothing estimates it.
	Remaining forecast.Remaining
}

// Review is the review of an adoption, before it is decided on.
type Review struct {
	event.Marker

	// Review is what adopt would do.
	Review *takeover.Review
	// Forecast has the time alone.
	Forecast *forecast.Forecast
}

// SweepPlanned is what a sweep would delete, before it is decided on.
type SweepPlanned struct {
	event.Marker

	*inventory.SweepResult
}

// Swept is the result of a sweep for one resource.
type Swept struct {
	event.Marker

	// Place is the cluster, the account and the region.
	Place inventory.Place
	// Entry is the line of the journal.
	Entry inventory.SweepEntry
}

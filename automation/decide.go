package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// Question is a decision before something is changed.
type Question struct {
	Operation Operation
	// Stack is the stack's name, "" for a fleet and for a sweep without a stack.
	Stack string
	// Text is the question in words: "Carry out this plan?".
	Text string
	// Name is the name that a person must enter to confirm the deletion of a cluster or of a stack's state; "" for a yes-or-no question.
	Name string
	// Machines is true if Name is the name of a Cluster of Cluster API, and false if it is the name of a hosted cluster.
	Machines bool
	// NodePools is true if node pools of the hosted cluster with Name are deleted, and not the cluster.
	NodePools bool
	// Plan is the plan to decide on, nil if nothing is planned yet.
	Plan *Plan
	// Living is why the cluster under which Resources are deleted may be alive, "" if it is not, or if it is deleted first. Cluster is its name.
	Living, Cluster string
	Resources       []string
}

// Decide answers a question: true to go on. An error ends the operation too. Nothing has been changed when it is called.
type Decide func(ctx context.Context, q Question) (bool, error)

// Approve answers yes, except to a question that needs a name.
func Approve(_ context.Context, q Question) (bool, error) { return q.Name == "", nil }

// ask asks a question. Without a function, and without the answer yes, it returns the error that ends the operation.
func (d Decide) ask(ctx context.Context, q Question) error {
	if d == nil {
		what := string(q.Operation)
		if q.Stack != "" {
			what += " of stack " + q.Stack
		}
		return &failure.Error{Reason: failure.Refused, Problem: what + " needs a decision; nothing was changed", Remedy: "set Decide in the options"}
	}
	yes, err := d(ctx, q)
	if err == nil && !yes {
		err = &failure.Error{Reason: failure.Failed, Problem: "not confirmed; nothing was changed"}
	}
	return err
}

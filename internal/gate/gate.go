// Package gate holds what may refuse an operation on a stack. A gate is a value with a name, a cost and a check; all commands ask the same
// gates, and the documentation of refusals is generated from them. The package knows no stack, engine or AWS client: the facts that gates
// judge are given to it.
package gate

import (
	"context"
	"slices"
	"sync"
)

// Cost is what a gate's check calls.
type Cost string

// The costs, cheapest first.
const (
	// CostFree gates judge the stack's file, state and plan.
	CostFree Cost = "free"
	// CostStates gates read the states of the backend's other stacks.
	CostStates Cost = "states"
	// CostManagementCluster gates read the management cluster.
	CostManagementCluster Cost = "management cluster"
	// CostAWS gates list resources in AWS; they are asked only if a plan creates, deletes or replaces something.
	CostAWS Cost = "AWS"
	// CostEngine gates start the engine.
	CostEngine Cost = "engine"
)

// Reads returns in words what a check with the cost reads.
func (c Cost) Reads() string {
	switch c {
	case CostFree:
		return "the stack's file, state and plan"
	case CostStates:
		return "the states of the backend's other stacks"
	case CostManagementCluster:
		return "the management cluster"
	case CostAWS:
		return "lists in AWS, and for `life` the management cluster first"
	case CostEngine:
		return "every resource of the stack, by the engine"
	}
	return string(c)
}

// Operation is what runs on a stack, and what a gate is asked about.
type Operation string

// The operations.
const (
	Up       Operation = "up"
	Preview  Operation = "preview"
	Refresh  Operation = "refresh"
	Drift    Operation = "drift"
	Adopt    Operation = "adopt"
	Forget   Operation = "forget"
	Destroy  Operation = "destroy"
	Sweep    Operation = "sweep"
	Relocate Operation = "relocate"
	Backup   Operation = "backup"
	// Status reads a cluster in the management cluster, for status and diagnose; Access its credentials, for kubeconfig and console.
	Status Operation = "status"
	Access Operation = "access"
)

// Dry reports whether the operation changes nothing.
func (o Operation) Dry() bool { return o == Preview || o == Drift }

// Answer is what a gate answers. The zero value lets the operation pass.
type Answer struct {
	// Gate is the gate's name, which AskAll sets.
	Gate string
	// Refused is the problem and its remedy, nil if the operation may go on.
	Refused error
	// Warnings are sentences for an operation that goes on nevertheless.
	Warnings []string
}

// Gate may refuse operations.
type Gate struct {
	// Name identifies the gate in output, journals and the documentation: "identity".
	Name string
	// Refuses is a sentence for the documentation: what the gate refuses, and why.
	Refuses string
	// Operations are those that ask the gate.
	Operations []Operation
	Cost       Cost
	// Check judges an operation; nil only in descriptions of the gate.
	Check Check
}

// Check judges an operation. The error is that of a check that could not be carried out, which refuses the operation too.
type Check func(ctx context.Context, operation Operation) (Answer, error)

// Refuses returns the check of a function that only refuses.
func Refuses(judge func(context.Context) error) Check {
	return func(ctx context.Context, _ Operation) (Answer, error) { return Answer{Refused: judge(ctx)}, nil }
}

// Ask judges an operation, with the error of its refusal. A gate that the context leaves out is checked, and refuses nothing.
func (g Gate) Ask(ctx context.Context, operation Operation) (warnings []string, err error) {
	answer, err := g.Check(ctx, operation)
	if err == nil {
		err = answer.Refused
	}
	if slices.Contains(LeftOut(ctx), g.Name) {
		err = nil
	}
	return answer.Warnings, err
}

// AskAll asks gates, and returns the answers in their order: first the free ones, then at the same time those that read, and at last those that
// start the engine. Unless every is set, a refusal ends it before the next, dearer group.
func AskAll(ctx context.Context, operation Operation, every bool, gates ...Gate) []Answer {
	answers := make([]Answer, len(gates))
	for _, group := range [][]Cost{{CostFree}, {CostStates, CostManagementCluster, CostAWS}, {CostEngine}} {
		var asked sync.WaitGroup
		for i, g := range gates {
			answers[i].Gate = g.Name
			if slices.Contains(group, g.Cost) {
				asked.Go(func() { answers[i].Warnings, answers[i].Refused = g.Ask(ctx, operation) })
			}
		}
		asked.Wait()
		if !every && slices.ContainsFunc(answers, func(a Answer) bool { return a.Refused != nil }) {
			break
		}
	}
	return answers
}

// LeftOut returns the names of the gates that the context leaves out.
func LeftOut(ctx context.Context) []string {
	names, _ := ctx.Value(withoutKey{}).([]string)
	return names
}

type withoutKey struct{}

// Without returns a context in which the gates with those names refuse nothing. It is for tests, which show by it what a gate prevents.
func Without(ctx context.Context, names []string) context.Context {
	if len(names) == 0 {
		return ctx
	}
	return context.WithValue(ctx, withoutKey{}, names)
}

// Package gate holds the gates, which may refuse an operation on a stack. A gate is a value with a name, a cost, and a check. All commands ask the
// same gates, and the documentation of refusals is generated from them. The package knows no stack, engine, or AWS client: its callers supply the
// facts.
package gate

import (
	"context"
	"slices"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// Answer is a gate's answer. The zero value lets the operation pass.
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
	gates.Gate
	// Check judges an operation.
	Check Check
}

// Check checks an operation. An error means that the check could not be carried out, which refuses the operation too.
type Check func(ctx context.Context, operation gates.Operation) (Answer, error)

// Refuses returns the check of a function that only refuses.
func Refuses(judge func(context.Context) error) Check {
	return func(ctx context.Context, _ gates.Operation) (Answer, error) { return Answer{Refused: judge(ctx)}, nil }
}

// Ask checks an operation, and returns the error of a refusal. A gate that the context leaves out is checked, but refuses nothing.
func (g Gate) Ask(ctx context.Context, operation gates.Operation) (warnings []string, err error) {
	answer, err := g.Check(ctx, operation)
	if err == nil {
		err = answer.Refused
	}
	if slices.Contains(Omitted(ctx), g.Name) {
		err = nil
	}
	return answer.Warnings, err
}

// AskAll asks gates, and returns the answers in their order: first the free ones, then at the same time those that read, and at last those that
// start the engine. Unless every is set, a refusal ends it before the next, dearer group.
func AskAll(ctx context.Context, operation gates.Operation, every bool, asking ...Gate) []Answer {
	answers := make([]Answer, len(asking))
	for _, group := range [][]gates.Cost{{gates.CostFree}, {gates.CostStates, gates.CostManagementCluster, gates.CostAWS}, {gates.CostEngine}} {
		var asked sync.WaitGroup
		for i, g := range asking {
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

// Omitted returns the names of the gates that the context leaves out.
func Omitted(ctx context.Context) []string {
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

// Package gate holds the gates, which may refuse an operation on a stack. A gate is a value with a name, a cost, and a
// check. All commands ask the same gates, and the documentation of refusals is generated from them. The package knows
// no stack, engine, or AWS client: its callers supply the facts.
package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
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

// New returns a gate by its description, and the check that it makes.
func New(description gates.Gate, check Check) Gate { return Gate{description, check} }

// Quiet returns a gate that is asked again: without its warnings, which have been said.
func (g Gate) Quiet() Gate {
	return New(g.Gate, func(ctx context.Context, operation gates.Operation) (Answer, error) {
		answer, err := g.Check(ctx, operation)
		answer.Warnings = nil
		return answer, err
	})
}

// ask checks an operation. An error of the check refuses the operation as well.
func (g Gate) ask(ctx context.Context, operation gates.Operation) Answer {
	began := time.Now()
	answer, err := g.Check(ctx, operation)
	if err != nil {
		answer.Refused = err
	}
	answer.Gate = g.Name
	log := trace.Of(ctx).With("gate", g.Name, "operation", operation, "took", time.Since(began))
	if answer.Refused != nil {
		log.DebugContext(ctx, "refused", "why", answer.Refused)
	} else {
		log.DebugContext(ctx, "passed", "warnings", len(answer.Warnings))
	}
	return answer
}

// List is the gates that operations ask. The zero value has every gate. Tests give others, which show what a gate
// prevents.
type List struct{ names []string }

// Only returns the list of the gates with those names.
func Only(names ...string) List { return List{append([]string{}, names...)} }

// Has reports whether the list has the gate with a name.
func (l List) Has(name string) bool { return l.names == nil || slices.Contains(l.names, name) }

// Refusal returns the refusal of a gate whose facts were collected before, nil if the list does not have the gate.
func (l List) Refusal(g gates.Gate, refused error) error {
	if !l.Has(g.Name) {
		return nil
	}
	return refused
}

// AskAll asks those of the gates that the list has, and returns their answers in the same order: first the free ones,
// then at the same time those that read, and at last those that start the engine. Unless every is set, a refusal ends
// it before the next, dearer group.
func (l List) AskAll(ctx context.Context, operation gates.Operation, every bool, asking ...Gate) []Answer {
	asking = slices.DeleteFunc(slices.Clone(asking), func(g Gate) bool { return !l.Has(g.Name) })
	answers := make([]Answer, len(asking))
	reads := []gates.Cost{gates.CostStates, gates.CostManagementCluster, gates.CostAWS}
	for _, group := range [][]gates.Cost{{gates.CostFree}, reads, {gates.CostEngine}} {
		var asked sync.WaitGroup
		for i, g := range asking {
			if slices.Contains(group, g.Cost) {
				asked.Go(func() { answers[i] = g.ask(ctx, operation) })
			}
		}
		asked.Wait()
		if !every && slices.ContainsFunc(answers, func(a Answer) bool { return a.Refused != nil }) {
			break
		}
	}
	return answers
}

// Rank returns the place of a cost among all, from the cheapest.
func Rank(c gates.Cost) int {
	return slices.Index([]gates.Cost{gates.CostFree, gates.CostStates, gates.CostManagementCluster, gates.CostAWS,
		gates.CostEngine}, c)
}

// Package automationtest opens projects of package automation with what no program may choose: some of the gates, or an
// environment that is open already. It sets fields that the package does not export, so that nothing but a test can.
package automationtest

import (
	"reflect"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// WithGates returns options of a project whose operations ask the gates of a list.
func WithGates(o automation.ProjectOptions, list gate.List) automation.ProjectOptions {
	set(&o, "gates", list)
	return o
}

// GatesBut returns the list of all gates but those with the names.
func GatesBut(without ...string) gate.List {
	if len(without) == 0 {
		return gate.List{}
	}
	var names []string
	for _, g := range automation.Gates() {
		names = append(names, g.Name)
	}
	for _, g := range sweep.Gates() {
		names = append(names, string(g))
	}
	return gate.Only(slices.DeleteFunc(names, func(name string) bool { return slices.Contains(without, name) })...)
}

// WithEnvironment returns options of a project whose stacks are deployed in an environment.
func WithEnvironment(o automation.ProjectOptions, e workspace.Environment) automation.ProjectOptions {
	set(&o, "environment", e)
	return o
}

// SetEnvironment gives a project the environment of its stacks before its first operation, from its files.
func SetEnvironment(p *automation.Project, open func(*project.Project) workspace.Environment) {
	set(p, "environment", open(*field[*project.Project](p, "project")))
}

// WithEngineEnviron returns options of a project whose engine has further variables in its environment, also those that
// users' engines do not get.
func WithEngineEnviron(o automation.ProjectOptions, entries ...string) automation.ProjectOptions {
	set(&o, "engineEnviron", engine.Environ(entries))
	return o
}

// set sets a field that package automation does not export. It panics if there is no such field, or if its type is
// another.
func set[T any](o any, name string, value T) { *field[T](o, name) = value }

func field[T any](o any, name string) *T {
	found := reflect.ValueOf(o).Elem().FieldByName(name)
	return reflect.NewAt(found.Type(), found.Addr().UnsafePointer()).Interface().(*T)
}

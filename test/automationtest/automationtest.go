// Package automationtest opens projects of package automation with what no program may choose: some of the gates, or an
// environment that is open already. It sets fields that the package does not export, so that nothing but a test can.
package automationtest

import (
	"reflect"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// WithGates returns options of a project whose operations ask the gates of a list.
func WithGates(o automation.ProjectOptions, list gate.List) automation.ProjectOptions {
	set(&o, "gates", list)
	return o
}

// WithEnvironment returns options of a project whose stacks are deployed in an environment.
func WithEnvironment(o automation.ProjectOptions, e workspace.Environment) automation.ProjectOptions {
	set(&o, "environment", e)
	return o
}

// set sets a field that package automation does not export. It panics if there is no such field, or if its type is another.
func set[T any](o *automation.ProjectOptions, name string, value T) {
	field := reflect.ValueOf(o).Elem().FieldByName(name)
	*reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Interface().(*T) = value
}

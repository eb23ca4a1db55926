// Package environment has the environment in which the stacks of a project are deployed: AWS, or another one that the
// caller makes. Open chooses, once.
package environment

import (
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Options are the options of an environment.
type Options struct {
	Project *project.Project
	// Environ is the environment of the caller.
	Environ engine.Environ
	// Backend is a backend's URL for AWS, "" for the project's (see project.Project.Backend).
	Backend string
	// Empty starts a new account in memory without the resources that the config refers to.
	Empty bool
	// Suitable gives an existing VPC in a new account in memory the endpoints that its machines need.
	Suitable bool
	// Interrupts reach the engine that a rehearsal kills; may be nil without a rehearsal.
	Interrupts *engine.Interrupts
}

// Open opens AWS or, if another function is given, the environment that it makes.
func Open(other func(Options) (workspace.Environment, error), o Options) (workspace.Environment, error) {
	if other != nil {
		return other(o)
	}
	return AWS(o), nil
}

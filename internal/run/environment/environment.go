// Package environment has the two environments in which the stacks of a project are deployed: AWS, and accounts and management clusters in memory.
// Open chooses between them, once.
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
	// Interrupts reach the engine that a rehearsal kills; may be nil without a rehearsal.
	Interrupts *engine.Interrupts
}

// Open opens the environment in memory, or AWS.
func Open(inMemory bool, o Options) (workspace.Environment, error) {
	if inMemory {
		return InMemory(o)
	}
	return AWS(o), nil
}

package stacks

import (
	"fmt"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

const (
	// Version is the version of this module, its CLI, its plugin and its policy pack, "v0.MINOR.PATCH".
	Version = MinorVersion + ".0"
	// MinorVersion is the version that stacks record. Minor versions may register other resources, patch versions do not
	// (see CHANGELOG.md).
	MinorVersion = "v0.1"
)

// VersionOutput is the stack output with the MinorVersion that last updated the stack.
const VersionOutput = "programVersion"

// NewerError is a stack that a newer version has updated.
type NewerError struct {
	// Stack is the stack's name, and Recorded the version in its state, such as "v0.2".
	Stack, Recorded string
}

// Error implements error.
func (e *NewerError) Error() string { return e.Problem() + "\n  " + e.Remedy() }

// Problem returns what is wrong.
func (e *NewerError) Problem() string {
	return fmt.Sprintf("stack %s was last updated by version %s of hypershift-aws, and this is version %s, which may delete or replace resources "+
		"that it does not know; nothing was changed", e.Stack, e.Recorded, MinorVersion)
}

// Remedy returns what to do.
func (e *NewerError) Remedy() string {
	return fmt.Sprintf("use version %s or later of the CLI, the image and the Go module", e.Recorded)
}

// CheckVersion returns a NewerError if the outputs of a stack's last update record a newer version than MinorVersion,
// or one that this version cannot compare. It returns nil for a stack without a recorded version.
func CheckVersion(stack string, outputs map[string]any) error {
	value, isRecorded := outputs[VersionOutput]
	if !isRecorded {
		return nil
	}
	recorded, err := semver.ParseTolerant(fmt.Sprint(value))
	if own := semver.MustParse(MinorVersion[1:] + ".0"); err != nil || own.LT(recorded) {
		return &NewerError{stack, fmt.Sprint(value)}
	}
	return nil
}

// lastOutputs returns the outputs of the last update of the program's stack. It registers nothing, and returns a
// NewerError if a newer version made that update.
func lastOutputs(ctx *pulumi.Context) (map[string]any, error) {
	outputs, err := stackOutputs(ctx, qualified(ctx, ctx.Stack()))
	if err != nil {
		return nil, fmt.Errorf("reading the outputs of the last update of stack %s: %w", ctx.Stack(), err)
	}
	return outputs, CheckVersion(ctx.Stack(), outputs)
}

package stacks

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Kind is a kind of stack: its section in the stack's file, and its program.
type Kind struct {
	config.Definition
	// run registers the resources of a section, and returns a pointer to the struct with the stack's outputs.
	run func(ctx *pulumi.Context, at placement, section config.Section) (any, error)
}

// NewKind returns a kind whose program registers the resources of a section at the top level, and returns a pointer to the struct with the
// stack's outputs.
func NewKind(d config.Definition, run func(ctx *pulumi.Context, section config.Section) (any, error)) Kind {
	return Kind{Definition: d, run: func(ctx *pulumi.Context, _ placement, section config.Section) (any, error) { return run(ctx, section) }}
}

// kinds are the kinds of stacks, in the order of the documentation.
var kinds = []Kind{ManagementKind(), ClusterKind(), CAPAKind(), NetworkKind(), IAMKind(), NodePoolsKind()}

// Register adds a kind of stack. A program calls it before it reads a stack's file.
func Register(kind Kind) { kinds = append(kinds, kind) }

// Kinds returns the kinds that a stack's file may describe.
func Kinds() config.Kinds {
	var definitions config.Kinds
	for _, kind := range kinds {
		definitions = append(definitions, kind.Definition)
	}
	return definitions
}

// runKind runs the program of a config's kind.
func runKind(ctx *pulumi.Context, at placement, read *config.Config) (any, error) {
	i := slices.IndexFunc(kinds, func(kind Kind) bool { return kind.Kind == read.Kind })
	if i < 0 {
		return nil, fmt.Errorf("kind %q of stacks has no program", read.Kind)
	}
	return kinds[i].run(ctx, at, read.Section)
}

// LoadFile reads and checks a stack's file in dir; see config.Kinds.LoadFile.
func LoadFile(dir, stack string) (*config.File, error) { return Kinds().LoadFile(dir, stack) }

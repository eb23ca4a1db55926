package invocation

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

// Feature is what a feature adds to the command line. A function that is nil adds nothing.
type Feature struct {
	// Name is the feature's folder in internal/features.
	Name string
	// Commands adds the feature's commands. root already has the commands of the core, and those of earlier features.
	Commands func(c *Invocation, root *cobra.Command)
	// Up, Preview, Destroy and Drift add flags to these commands, and output about their plans and results.
	Up      func(*Invocation, *UpCommand)
	Preview func(*Invocation, *PreviewCommand)
	Destroy func(*Invocation, *DestroyCommand)
	Drift   func(*Invocation, *DriftCommand)
	// Programs are what this executable runs when it is started by other names.
	Programs []Program
}

// Adds returns a function for Feature.Commands that adds one command.
func Adds(command func(*Invocation) *cobra.Command) func(*Invocation, *cobra.Command) {
	return func(c *Invocation, root *cobra.Command) { root.AddCommand(command(c)) }
}

// Program is what this executable runs when it is started by another name.
type Program struct {
	// Wanted reports whether a name, the first argument of the process, is the program's.
	Wanted func(name string) bool
	// Run returns the exit code. stack is the program of stacks, and args are the arguments after the name.
	Run func(stack pulumi.RunFunc, args []string) int
}

// The commands of the core that features extend.
type (
	// UpCommand is the command up, with the options and the result of an update.
	UpCommand = Extensible[automation.UpOptions, automation.UpResult]
	// PreviewCommand is the command preview.
	PreviewCommand = Extensible[automation.PreviewOptions, automation.PreviewResult]
	// DestroyCommand is the command destroy.
	DestroyCommand = Extensible[automation.DestroyOptions, automation.DestroyResult]
	// DriftCommand is the command drift.
	DriftCommand = Extensible[struct{}, automation.DriftResult]
)

// Extensible is a command with the options and the result of its operation. Features append to its slices, whose
// functions are called in their order.
type Extensible[Options, Result any] struct {
	*cobra.Command
	Options Options
	// Checks refuse wrong flags, and complete the options, before the operation begins.
	Checks []func() error
	// PlanParts are shown below the plan.
	PlanParts []PlanPart
	// Results show the result of the operation, which may have failed nevertheless, or write it to files.
	Results []func(ctx context.Context, result *Result, err error) error
	// StdoutTaken is set by a check if a feature writes text to stdout that the command's own must not join.
	StdoutTaken bool
}

// PlanPart is what a feature shows of a plan.
type PlanPart struct {
	// Text returns lines of at most width columns, 0 for any width.
	Text func(event *automation.PlannedEvent, width int, details bool) string
	// JSON writes objects for programs.
	JSON func(out *JSONLines, event *automation.PlannedEvent)
}

// Check calls Checks up to the first error.
func (e *Extensible[Options, Result]) Check() error {
	for _, check := range e.Checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// ShowResult calls Results up to the first error, unless there is no result. err is the error of the operation.
func (e *Extensible[Options, Result]) ShowResult(ctx context.Context, result *Result, err error) error {
	if result == nil {
		return nil
	}
	for _, show := range e.Results {
		if failed := show(ctx, result, err); failed != nil {
			return failed
		}
	}
	return nil
}

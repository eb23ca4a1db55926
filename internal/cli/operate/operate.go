// Package operate contains the commands that preview and change a stack.
package operate

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// Commands returns the commands of this package, with what features add to them.
func Commands(c *invocation.Invocation, features []invocation.Feature) []*cobra.Command {
	return []*cobra.Command{
		previewCommand(c, features), upCommand(c, features), destroyCommand(c, features), refreshCommand(c),
		driftCommand(c, features), cancelCommand(c), repairCommand(c), forgetCommand(c),
	}
}

func repairCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.RepairOptions
	cmd := &cobra.Command{
		Use:     "repair",
		GroupID: invocation.OperateAStack,
		Short:   "Add to the state what an interrupted run created",
		Long: `Finds in AWS what an interrupted run was creating, and adds it to the stack's state; reads again what it was changing
or deleting. Nothing in AWS is created, changed or deleted. up and destroy do the same before they begin.

If AWS has two resources that may be one interrupted creation, or one that may be another stack's, nothing is changed: the
IDs are printed, and the command exits with 2. --take ID decides for one of them; the others are not changed.`,
		Example: `  hypershift-aws repair -s dev
  hypershift-aws repair -s dev --take nat-0123456789abcdef0`,
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			found, err := stack.Repair(ctx, options)
			for _, f := range found {
				c.JSON.Write("recovered", f)
			}
			var ambiguous *automation.AmbiguousError
			if errors.As(err, &ambiguous) {
				for _, l := range ambiguous.Lookups {
					c.JSON.Write("candidates", l)
				}
			}
			return err
		}),
	}
	cmd.Flags().StringArrayVar(&options.Take, "take", nil,
		"the `ID` in AWS of a resource that the interrupted run created; repeatable")
	invocation.CompleteFlag(cmd, "take", c.StackNames(func(ctx context.Context, s *automation.Stack) ([]string, error) { return s.Candidates(ctx) }))
	c.AddUnreadStack(cmd)
	cmd.Flags().BoolVar(&options.RestoreState, "restore-state", false, "restore the newest copy of an incomplete state file, even if it may lack resources")
	return cmd
}

func cancelCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "cancel",
		GroupID: invocation.OperateAStack,
		Short:   "Release the lock of an interrupted update",
		Long: `Releases the lock that an interrupted update left on the stack. Stop an update that is still running first:
without its lock two updates could write the same state. If the process that owns the lock runs on this machine,
the lock is released only with --yes.`,
		Example: `  hypershift-aws cancel -s dev`,
		RunE:    c.OnStack(func(ctx context.Context, stack *automation.Stack) error { return runCancel(ctx, c, stack) }),
	}
}

func runCancel(ctx context.Context, c *invocation.Invocation, stack *automation.Stack) error {
	result, err := stack.Cancel(ctx, automation.CancelOptions{Running: c.Yes})
	switch {
	case err != nil:
		return err
	case result.Shown && len(result.Locks) == 0:
		c.Say("stack %s was not locked", result.Stack)
	default:
		c.Say("stack %s is unlocked; run `hypershift-aws repair -s %[1]s` to add to the state what the interrupted update created", result.Stack)
	}
	return nil
}

package operate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

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
		c.Say("stack %s is unlocked; run `hypershift-aws recover -s %[1]s` to add to the state what the interrupted update created", result.Stack)
	}
	return nil
}

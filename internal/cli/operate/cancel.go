package operate

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
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
		RunE:    func(cmd *cobra.Command, _ []string) error { return runCancel(cmd.Context(), c) },
	}
}

func runCancel(ctx context.Context, c *invocation.Invocation) error {
	stack, err := c.Open(ctx, operation.MustExist, true)
	if err != nil {
		return err
	}
	defer stack.Close()
	locks, err := stack.Locks()
	if err != nil {
		return err
	}
	for _, lock := range locks {
		c.Say("stack %s is locked by %s", stack.Name, lock)
		if lock.Alive && !c.Yes {
			return &failure.Error{
				Reason:  failure.Conflict,
				Problem: fmt.Sprintf("process %d is still running on this machine", lock.Process),
				Remedy:  "stop it there with Ctrl-C and let it finish",
			}
		}
	}
	if err := stack.Cancel(ctx); err != nil {
		return err
	}
	if locks == nil && stack.ShowsLocks() {
		c.Say("stack %s was not locked", stack.Name)
		return nil
	}
	c.Say("stack %s is unlocked; run `hypershift-aws recover -s %s` to add to the state what the interrupted update created", stack.Name, stack.Name)
	return nil
}

package operate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

func refreshCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.RefreshOptions
	cmd := &cobra.Command{
		Use:     "refresh",
		GroupID: invocation.OperateAStack,
		Short:   "Update the stack's state to what is in AWS",
		Long: `Reads every resource of the stack from AWS and writes it to the state. Nothing in AWS changes: the next up
corrects what differs from the stack's file. What an interrupted run was creating is not searched for: recover does that.`,
		Example: `  hypershift-aws refresh -s dev
  hypershift-aws refresh -s dev --expect-no-changes`,
		Annotations: map[string]string{
			invocation.FleetShort: "Update the states of many stacks to what is in AWS", invocation.FleetFlags: "expect-no-changes",
		},
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			_, err := stack.Refresh(ctx, options)
			return err
		}),
	}
	addExpectNoChanges(cmd, &options.ExpectNoChanges, "; the state is refreshed nevertheless")
	cmd.Flags().BoolVar(&options.ForgetPending, "forget-pending", false, "drop resources whose creation was interrupted from the state, without a search in AWS")
	return cmd
}

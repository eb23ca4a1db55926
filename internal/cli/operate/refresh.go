package operate

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

func refreshCommand(c *invocation.Invocation) *cobra.Command {
	var expectNoChanges, forgetPending bool
	cmd := &cobra.Command{
		Use:   "refresh",
		Short: "Update the stack's state to what is in AWS",
		Long: `Reads every resource of the stack from AWS and writes it to the state. Nothing in AWS changes: the next up
corrects what differs from the stack's file.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stack, err := c.Open(cmd.Context(), automation.MustExist, false)
			if err != nil {
				return err
			}
			defer stack.Close()
			if !forgetPending {
				if err := stack.Recover(cmd.Context()); err != nil {
					return err
				}
			}
			changes, err := stack.Refresh(cmd.Context(), forgetPending)
			if err != nil {
				return err
			}
			if expectNoChanges && changes.HasChanges {
				return &failure.Error{
					Reason:  failure.ChangesFound,
					Problem: fmt.Sprintf("the state of stack %s differed from AWS: %s", stack.Name, changes.Counts().Text(report.Found)),
					Remedy:  "the state now equals AWS; run `hypershift-aws up` to restore the configuration",
				}
			}
			return nil
		},
	}
	addExpectNoChanges(cmd, &expectNoChanges, "; the state is refreshed nevertheless")
	cmd.Flags().BoolVar(&forgetPending, "forget-pending", false, "drop resources whose creation was interrupted from the state; search for them in AWS first")
	return cmd
}

package operate

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func forgetCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.ForgetOptions
	cmd := &cobra.Command{
		Use:     "forget",
		GroupID: invocation.CleanUp,
		Short:   "Remove the resources from the state, and keep them in AWS",
		Long: `Removes all resources from the stack's state and changes nothing in AWS or in the management cluster: the reverse of adopt. The stack's file
remains. The command prompts for the stack's name, unless --yes is set with -s. A management stack that cluster stacks refer to is not
forgotten, nor is a stack with an interrupted run: run repair first. adopt adds the resources to a stack again.

The state keeps which management cluster has the stack's cluster, so that no later command takes another one for it. --remove removes that too.`,
		Example: `  hypershift-aws forget -s dev
  hypershift-aws forget -s dev --yes --remove`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runForget(cmd.Context(), c, options) },
	}
	c.AddUnreadStack(cmd)
	cmd.Flags().BoolVar(&options.RemoveState, "remove", false, "also remove the stack's state and history")
	return cmd
}

func runForget(ctx context.Context, c *invocation.Invocation, options automation.ForgetOptions) error {
	if err := c.CanConfirm("forget"); err != nil {
		return err
	}
	if c.Yes && c.Stack == "" {
		return invocation.Refuse("forget --yes requires a stack: use -s")
	}
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	options.Decide = func(ctx context.Context, q automation.Question) (bool, error) {
		if c.Yes {
			return true, nil
		}
		return c.Decide(ctx, q)
	}
	released, err := stack.Forget(ctx, options)
	unwritten := invocation.List(c, "released", "", released, func(r automation.ForgottenResource) []any {
		return []any{report.TypeName(r.ResourceType), r.Name, r.ID}
	})
	return errors.Join(unwritten, err)
}

package operate

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func releaseCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.ReleaseOptions
	cmd := &cobra.Command{
		Use:     "release",
		GroupID: invocation.CleanUp,
		Short:   "Remove the resources from the state, and keep them in AWS",
		Long: `Removes all resources from the stack's state and changes nothing in AWS or in the management cluster: the reverse of adopt. The stack's file
remains. The command prompts for the stack's name, unless --yes is set with -s. A management stack that cluster stacks refer to is not
released, nor is a stack with an interrupted run: run recover first. adopt adds the resources to a stack again.`,
		Example: `  hypershift-aws release -s dev
  hypershift-aws release -s dev --yes --remove`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runRelease(cmd.Context(), c, options) },
	}
	c.AddUnreadStack(cmd)
	cmd.Flags().BoolVar(&options.RemoveState, "remove", false, "also remove the stack's state and history")
	return cmd
}

func runRelease(ctx context.Context, c *invocation.Invocation, options automation.ReleaseOptions) error {
	if err := c.CanConfirm("release"); err != nil {
		return err
	}
	if c.Yes && c.Stack == "" {
		return invocation.Refuse("release --yes requires a stack: use -s")
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
	released, err := stack.Release(ctx, options)
	unwritten := invocation.List(c, "released", "", released, func(r automation.ReleasedResource) []any {
		return []any{report.TypeName(r.ResourceType), r.Name, r.ID}
	})
	return errors.Join(unwritten, err)
}

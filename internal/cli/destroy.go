package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
)

func (c *invocation) destroyCommand() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "destroy",
		Short: "Delete all that the stack made",
		Long: `Deletes all that the stack made in AWS, in the right order. The stack's file stays, and its state, now empty,
stays unless --remove is given. Destroy the hosted cluster itself first. A management stack goes after the
cluster stacks that name it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.destroy(cmd.Context(), remove) },
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the stack's state and history too")
	return cmd
}

func (c *invocation) destroy(ctx context.Context, remove bool) error {
	if err := c.canConfirm("destroy"); err != nil {
		return err
	}
	stack, err := c.open(ctx, automation.MustExist, true)
	if err != nil {
		return err
	}
	defer stack.Close()
	if err := stack.Recover(ctx); err != nil {
		return err
	}
	if err := stack.CheckUnused(ctx); err != nil {
		return err
	}
	plan, err := stack.PreviewDestroy(ctx)
	if err != nil {
		return err
	}
	c.showPlan(plan)
	c.say("to be deleted in %s:\n%s", stack.Name, automation.PlanText(plan))
	if plan.HasChanges && !c.yes {
		if err := c.confirm("Delete all this?"); err != nil {
			return err
		}
	}
	if _, err := stack.Destroy(ctx); err != nil || !remove {
		return err
	}
	if err := stack.Remove(ctx); err != nil {
		return err
	}
	c.say("removed the state of %s", stack.Name)
	return nil
}

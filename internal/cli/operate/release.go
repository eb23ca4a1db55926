package operate

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

func releaseCommand(c *invocation.Invocation) *cobra.Command {
	remove := false
	cmd := &cobra.Command{
		Use:   "release",
		Short: "Remove the stack's resources from its state, and keep them in AWS",
		Long: `Removes all resources from the stack's state and changes nothing in AWS or in the management cluster: the reverse of adopt. The stack's file
remains. The command prompts for the stack's name, unless --yes is set with -s. A management stack that cluster stacks refer to is not
released. adopt adds the resources to a stack again.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runRelease(cmd.Context(), c, remove) },
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "also remove the stack's state and history")
	return cmd
}

// releasedRow is a resource that was removed from the state.
type releasedRow struct {
	ResourceType string `json:"resourceType"`
	Name         string `json:"name"`
	ID           string `json:"id"`
}

func runRelease(ctx context.Context, c *invocation.Invocation, remove bool) error {
	if err := c.CanConfirm("release"); err != nil {
		return err
	}
	if c.Yes && c.Stack == "" {
		return invocation.Refuse("release --yes requires a stack: use -s")
	}
	stack, err := c.Open(ctx, automation.MustExist, true)
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
	if !c.Yes {
		answer, err := c.Ask(fmt.Sprintf("This removes all resources from the state of stack %s, and keeps them in AWS. Enter the stack's name: ", stack.Name), "")
		if err != nil {
			return err
		}
		if answer != stack.Name {
			return &failure.Error{Reason: failure.Failed, Problem: "not confirmed; nothing was changed"}
		}
	}
	held, err := stack.Release(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.Streams.Out, 0, 0, 2, ' ', 0)
	for _, r := range held {
		row := releasedRow{ResourceType: string(r.Type), Name: r.URN.Name(), ID: string(r.ID)}
		if c.JSON != nil {
			c.JSON.Write("released", row)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", report.TypeName(row.ResourceType), row.Name, row.ID)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	if !remove {
		return nil
	}
	if err := stack.Remove(ctx); err != nil {
		return err
	}
	c.Say("removed the state of %s", stack.Name)
	return nil
}

package operate

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

func recoverCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.RecoverOptions
	cmd := &cobra.Command{
		Use:     "recover",
		GroupID: invocation.OperateAStack,
		Short:   "Add to the state what an interrupted run created",
		Long: `Finds in AWS what an interrupted run was creating, and adds it to the stack's state; reads again what it was changing
or deleting. Nothing in AWS is created, changed or deleted. up and destroy do the same before they begin.

If AWS has two resources that may be one interrupted creation, or one that may be another stack's, nothing is changed: the
IDs are printed, and the command exits with 2. --take ID decides for one of them; the others are not changed.`,
		Example: `  hypershift-aws recover -s dev
  hypershift-aws recover -s dev --take nat-0123456789abcdef0`,
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			found, err := stack.Recover(ctx, options)
			for _, f := range found {
				c.JSON.Write("recovered", f)
			}
			var ambiguous *automation.AmbiguousError
			if errors.As(err, &ambiguous) {
				for _, l := range ambiguous.Lookups {
					c.JSON.Write("candidates", candidatesRow{ResourceType: l.Type, Name: l.Name, IDs: l.IDs, Unproved: l.Unproved})
				}
			}
			return err
		}),
	}
	cmd.Flags().StringArrayVar(&options.Take, "take", nil, "the `ID` in AWS of a resource that the interrupted run created; repeatable")
	invocation.CompleteFlag(cmd, "take", c.OfStack(func(ctx context.Context, s *automation.Stack) ([]string, error) { return s.Candidates(ctx) }))
	cmd.Flags().BoolVar(&options.RestoreState, "restore-state", false, "restore the newest copy of an incomplete state file, even if it may lack resources")
	return cmd
}

// candidatesRow is an interrupted creation that the user must decide on.
type candidatesRow struct {
	ResourceType string   `json:"resourceType"`
	Name         string   `json:"name"`
	IDs          []string `json:"ids"`
	Unproved     string   `json:"unproved,omitempty"`
}

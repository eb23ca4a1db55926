package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
)

func (c *invocation) previewCommand() *cobra.Command {
	var expectNoChanges bool
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show what up would change",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stack, err := c.open(cmd.Context(), automation.MayCreate, false)
			if err != nil {
				return err
			}
			defer stack.Close()
			plan, err := stack.Preview(cmd.Context())
			if err != nil {
				return err
			}
			c.showPlan(plan)
			if c.json == nil {
				fmt.Fprint(c.streams.Out, automation.PlanText(plan))
			}
			if guard := automation.Guard(plan, stack.Name, nil); guard != nil {
				c.say("up would refuse this: %s", guard)
			}
			if expectNoChanges && plan.HasChanges {
				return changesFound(stack.Name, plan)
			}
			return nil
		},
	}
	addExpectNoChanges(cmd, &expectNoChanges, "")
	return cmd
}

func addExpectNoChanges(cmd *cobra.Command, value *bool, note string) {
	cmd.Flags().BoolVar(value, "expect-no-changes", false, "exit with code 3 if there are changes"+note)
}

// showPlan writes a plan for programs.
func (c *invocation) showPlan(plan *automation.Plan) {
	if c.json == nil {
		return
	}
	for _, event := range plan.Events() {
		c.json.Report(event)
	}
}

func changesFound(stack string, plan *automation.Plan) error {
	return &automation.Error{
		Reason:  automation.ChangesFound,
		Problem: fmt.Sprintf("no changes were expected in stack %s: %s", stack, plan.Counts().Text(automation.Planned)),
	}
}

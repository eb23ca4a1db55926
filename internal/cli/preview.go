package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
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
			planned, err := stack.Preview(cmd.Context())
			if err != nil {
				return err
			}
			c.showPlan(planned)
			if c.json == nil {
				fmt.Fprint(c.streams.Out, plan.Text(planned))
			}
			if guard := plan.Guard(planned, stack.Name, nil); guard != nil {
				c.say("up would refuse this: %s", guard)
			}
			if expectNoChanges && planned.HasChanges {
				return changesFound(stack.Name, planned)
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
func (c *invocation) showPlan(planned *plan.Plan) {
	if c.json == nil {
		return
	}
	for _, event := range planned.Events() {
		c.json.Report(event)
	}
}

func changesFound(stack string, planned *plan.Plan) error {
	return &failure.Error{
		Reason:  failure.ChangesFound,
		Problem: fmt.Sprintf("no changes were expected in stack %s: %s", stack, planned.Counts().Text(report.Planned)),
	}
}

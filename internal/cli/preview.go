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
	var options forecastOptions
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show what up would change",
		Args:  cobra.NoArgs,
		Long: `Shows what up would change, how long that takes and what decides it, the fixed cost per month before and after, rates that depend on
use, and what breaks a policy (see hypershift-aws policies).`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := options.validate(); err != nil {
				return err
			}
			stack, err := c.open(cmd.Context(), automation.MayCreate, false)
			if err != nil {
				return err
			}
			defer stack.Close()
			waivers, err := waiversOf(stack.File())
			if err != nil {
				return err
			}
			management := stack.CheckManagementCluster(cmd.Context())
			if management != nil {
				c.say("up would refuse this: %s", management)
			}
			planned, err := stack.Preview(cmd.Context())
			if err != nil {
				return err
			}
			f, err := c.forecast(stack, planned, waivers)
			if err != nil {
				return err
			}
			c.showPlan(planned, f)
			if c.json == nil {
				fmt.Fprint(c.streams.Out, plan.Text(planned), f.text(c.offline))
			}
			if options.picture != "" {
				if err := c.writePicture(options.picture, plannedPicture(stack, planned, f)); err != nil {
					return err
				}
			}
			if guard := plan.Guard(planned, stack.Name, nil); guard != nil {
				c.say("up would refuse this: %s", guard)
			}
			if err := stack.CheckPlan(cmd.Context(), planned); err != nil && management == nil {
				c.say("up would refuse this: %s", err)
			}
			if err := f.refusal(stack.Name, options); err != nil {
				return err
			}
			if expectNoChanges && planned.HasChanges {
				return changesFound(stack.Name, planned)
			}
			return nil
		},
	}
	addExpectNoChanges(cmd, &expectNoChanges, "")
	c.addForecast(cmd, &options)
	return cmd
}

func addExpectNoChanges(cmd *cobra.Command, value *bool, note string) {
	cmd.Flags().BoolVar(value, "expect-no-changes", false, "exit with code 3 if there are changes"+note)
}

// showPlan writes a plan and its forecast for programs; the plan's summary comes last.
func (c *invocation) showPlan(planned *plan.Plan, f *forecast) {
	if c.json == nil {
		return
	}
	f.show(c.json)
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

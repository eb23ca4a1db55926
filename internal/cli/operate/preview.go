package operate

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

func previewCommand(c *invocation.Invocation) *cobra.Command {
	var expectNoChanges bool
	var options view.Options
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show what up would change",
		Args:  cobra.NoArgs,
		Long: `Shows what up would change, how long that takes and what decides it, the fixed cost per month before and after, rates that depend on
use, and what breaks a policy (see hypershift-aws policies).`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := options.Validate(); err != nil {
				return err
			}
			stack, err := c.Open(cmd.Context(), automation.MayCreate, false)
			if err != nil {
				return err
			}
			defer stack.Close()
			waivers, err := view.Waivers(stack.File())
			if err != nil {
				return err
			}
			management := stack.CheckManagementCluster(cmd.Context())
			if management != nil {
				c.Say("up would refuse this: %s", management)
			}
			planned, err := stack.Preview(cmd.Context())
			if err != nil {
				return err
			}
			f, err := view.Of(c, stack, planned, waivers)
			if err != nil {
				return err
			}
			showPlan(c, planned, f)
			if c.JSON == nil {
				fmt.Fprint(c.Streams.Out, plan.Text(planned), f.Text(c.Offline))
			}
			if options.Picture != "" {
				if err := view.WritePicture(c, options.Picture, view.PlannedPicture(stack, planned, f)); err != nil {
					return err
				}
			}
			if guard := plan.Guard(planned, stack.Name, nil); guard != nil {
				c.Say("up would refuse this: %s", guard)
			}
			if err := stack.CheckPlan(cmd.Context(), planned); err != nil && management == nil {
				c.Say("up would refuse this: %s", err)
			}
			if err := f.Refusal(stack.Name, options); err != nil {
				return err
			}
			if expectNoChanges && planned.HasChanges {
				return changesFound(stack.Name, planned)
			}
			return nil
		},
	}
	addExpectNoChanges(cmd, &expectNoChanges, "")
	options.AddFlags(c, cmd)
	return cmd
}

func addExpectNoChanges(cmd *cobra.Command, value *bool, note string) {
	cmd.Flags().BoolVar(value, "expect-no-changes", false, "exit with code 3 if there are changes"+note)
}

// showPlan writes a plan and its forecast for programs; the plan's summary comes last.
func showPlan(c *invocation.Invocation, planned *plan.Plan, f *view.Forecast) {
	if c.JSON == nil {
		return
	}
	f.Show(c.JSON)
	for _, event := range planned.Events() {
		c.JSON.Report(event)
	}
}

func changesFound(stack string, planned *plan.Plan) error {
	return &failure.Error{
		Reason:  failure.ChangesFound,
		Problem: fmt.Sprintf("no changes were expected in stack %s: %s", stack, planned.Counts().Text(report.Planned)),
	}
}

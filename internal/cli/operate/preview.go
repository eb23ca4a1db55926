package operate

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/pullrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

// previewOptions are the flags of preview.
type previewOptions struct {
	expectNoChanges    bool
	savePlan, markdown string
	drift              bool
	forecast           view.Options
}

func previewCommand(c *invocation.Invocation) *cobra.Command {
	var options previewOptions
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show what up would change",
		Long: `Shows what up would change, how long that takes and what decides it, the fixed cost per month before and after, rates that depend on
use, and what breaks a policy (see hypershift-aws policies).

With --save-plan the plan is saved in a file, for a review and for up --plan, which carries out exactly that plan or nothing. With
--markdown a summary for a pull request is written. Both also look in AWS for changes made outside the stack, as drift does, unless
--drift=false is set.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.savePlan != "" && !options.drift && cmd.Flags().Changed("drift") {
				return invocation.Refuse("--save-plan requires the drift: omit --drift=false")
			}
			options.drift = options.drift || !cmd.Flags().Changed("drift") && (options.savePlan != "" || options.markdown != "")
			return runPreview(cmd.Context(), c, options)
		},
	}
	addExpectNoChanges(cmd, &options.expectNoChanges, "")
	options.forecast.AddFlags(c, cmd)
	cmd.Flags().StringVar(&options.savePlan, "save-plan", "", "save the plan in a `file`, for up --plan")
	cmd.Flags().BoolVar(&options.drift, "drift", false, "also look for changes made outside the stack (default with --save-plan and --markdown: true)")
	view.AddMarkdown(cmd, &options.markdown)
	return cmd
}

func runPreview(ctx context.Context, c *invocation.Invocation, options previewOptions) error {
	if err := options.forecast.Validate(); err != nil {
		return err
	}
	stack, err := c.Open(ctx, automation.MayCreate, false)
	if err != nil {
		return err
	}
	defer stack.Close()
	waivers, err := view.Waivers(stack.File())
	if err != nil {
		return err
	}
	comment := pullrequest.Comment{Stack: stack.Name, Offline: c.Offline, DriftChecked: options.drift}
	refuses := func(err error) {
		if err != nil {
			c.Say("up would refuse this plan: %s", err)
			comment.Refused = append(comment.Refused, err.Error())
		}
	}
	management := stack.CheckManagementCluster(ctx)
	refuses(management)
	if options.drift {
		found, err := stack.Drift(ctx)
		if err != nil {
			return err
		}
		comment.Drift = plan.Drift(found)
		showDrift(c, comment.Drift)
		if len(comment.Drift) > 0 {
			c.Say("changed outside the stack:\n%s", plan.DriftText(comment.Drift))
		}
	}
	planned, err := stack.Preview(ctx)
	if err != nil {
		return err
	}
	f, err := view.Of(c, stack, planned, waivers)
	if err != nil {
		return err
	}
	showPlan(c, planned, f)
	if c.JSON == nil && options.markdown != view.MarkdownToStdout {
		fmt.Fprint(c.Streams.Out, plan.Text(planned), f.Text(c.Offline))
	}
	if options.forecast.Picture != "" {
		if err := view.WritePicture(c, options.forecast.Picture, view.PlannedPicture(stack, planned, f)); err != nil {
			return err
		}
	}
	if guard := plan.Guard(planned, stack.Name, nil); guard != nil {
		c.Say("up would refuse this plan: %s", guard)
	}
	if err := stack.CheckPlan(ctx, planned); err != nil && management == nil {
		refuses(err)
	}
	policies := f.Refusal(stack.Name, options.forecast)
	if policies != nil {
		comment.Refused = append(comment.Refused, policies.Error())
	}
	comment.Plan = planned
	comment.Time, comment.Cost, comment.Policies = f.Markdown()
	if err := view.WriteMarkdown(c, options.markdown, comment.Markdown(), comment.Digest()); err != nil {
		return err
	}
	if policies != nil {
		return policies
	}
	if options.savePlan != "" {
		if err := savePlan(c, stack, options.savePlan, planned, comment.Drift); err != nil {
			return err
		}
	}
	if options.expectNoChanges && planned.HasChanges {
		return changesFound(stack.Name, planned)
	}
	return nil
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

package operate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// previewFlags are flags of preview that are no options of its operation.
type previewFlags struct {
	details bool
	// expectNoRefusal fails if `up` would refuse the plan.
	expectNoRefusal bool
}

func previewCommand(c *invocation.Invocation, features []invocation.Feature) *cobra.Command {
	preview := &invocation.PreviewCommand{}
	var flags previewFlags
	preview.Command = &cobra.Command{
		Use:     "preview",
		GroupID: invocation.OperateAStack,
		Short:   "Show what up would change",
		Long: `Shows what up would change, how long that takes and what decides it, the fixed cost per month before and after, rates that depend on
use, and what breaks a policy (see hypershift-aws plan-policies).

With --save-plan the plan is saved in a file, for a review and for up --plan, which carries out exactly that plan or nothing. With
--markdown a summary for a pull request is written. Both also look in AWS for changes made outside the stack, as drift does, unless
--drift=false is set.`,
		Example: `  hypershift-aws preview -s dev
  hypershift-aws preview -s dev --offline
  hypershift-aws preview -s dev --save-plan dev.plan --markdown=comment.md`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPreview(cmd.Context(), c, preview, flags) },
	}
	cmd, options := preview.Command, &preview.Options
	addExpectNoChanges(cmd, &options.ExpectNoChanges, "")
	cmd.Flags().BoolVar(&flags.expectNoRefusal, "expect-no-refusal", false, "exit with code 5 if up would refuse the plan")
	c.AddUnreadStack(cmd)
	view.AddDetails(cmd, &flags.details)
	cmd.Flags().BoolVar(&options.Drift, "drift", false, "also look for changes made outside the stack")
	for _, feature := range features {
		if feature.Preview != nil {
			feature.Preview(c, preview)
		}
	}
	return cmd
}

func runPreview(
	ctx context.Context, c *invocation.Invocation, preview *invocation.PreviewCommand, flags previewFlags,
) error {
	if err := preview.Check(); err != nil {
		return err
	}
	preview.PlanParts = append(preview.PlanParts, view.NotCompared(func() bool { return preview.Options.Drift }))
	showPlan := view.ShowPlan(c, "plan for", preview.PlanParts, &flags.details)
	if preview.StdoutTaken && c.JSON == nil {
		showPlan = func(automation.Event) {}
	}
	stack, err := c.Automation(func(event automation.Event) {
		switch e := event.(type) {
		case *automation.DriftEvent:
			showDrift(c, e.Drift)
			if len(e.Drift) > 0 {
				c.SayText("changed outside the stack:\n" + plan.DriftText(e.Drift))
			}
		case *automation.RefusalEvent:
			if !e.Fails || c.JSON != nil { // people read it as the error at the end
				c.ReportRefusal(e.Gate, e.Err)
			}
		default:
			showPlan(e)
		}
	})
	if err != nil {
		return err
	}
	result, err := stack.Preview(ctx, preview.Options)
	if result != nil && result.Unanswered != nil {
		c.JSON.Refusal(gate.IdentityGate().Name, result.Unanswered) // people have read a warning
	}
	if result == nil || result.Plan == nil {
		return err
	}
	if failed := preview.ShowResult(ctx, result, err); failed != nil {
		return failed
	}
	if n := len(result.Refusals); flags.expectNoRefusal && err == nil && (n > 0 || result.Unanswered != nil) {
		return invocation.RefusedPlans(result.Stack)
	}
	return err
}

func addExpectNoChanges(cmd *cobra.Command, value *bool, note string) {
	cmd.Flags().BoolVar(value, "expect-no-changes", false, "exit with code 3 if there are changes"+note)
}

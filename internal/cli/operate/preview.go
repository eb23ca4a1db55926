package operate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/forecasting"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/pullrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// previewOptions are the flags of preview.
type previewOptions struct {
	automation.PreviewOptions
	markdown string
	details  bool
	// expectNoRefusal fails if `up` would refuse the plan.
	expectNoRefusal bool
	forecast        view.Options
}

func previewCommand(c *invocation.Invocation) *cobra.Command {
	var options previewOptions
	cmd := &cobra.Command{
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.SavePlan != "" && !options.Drift && cmd.Flags().Changed("drift") {
				return invocation.Refuse("--save-plan requires the drift: omit --drift=false")
			}
			options.Drift = options.Drift || !cmd.Flags().Changed("drift") && (options.SavePlan != "" || options.markdown != "")
			return runPreview(cmd.Context(), c, options)
		},
	}
	addExpectNoChanges(cmd, &options.ExpectNoChanges, "")
	cmd.Flags().BoolVar(&options.expectNoRefusal, "expect-no-refusal", false, "exit with code 5 if up would refuse the plan")
	c.AddUnreadStack(cmd)
	view.AddDetails(cmd, &options.details)
	options.forecast.AddFlags(c, cmd)
	cmd.Flags().StringVar(&options.SavePlan, "save-plan", "", "save the plan in a `file`, for up --plan")
	cmd.Flags().BoolVar(&options.Drift, "drift", false, "also look for changes made outside the stack (default with --save-plan and --markdown: true)")
	view.AddMarkdown(cmd, &options.markdown)
	return cmd
}

func runPreview(ctx context.Context, c *invocation.Invocation, options previewOptions) error {
	if err := options.forecast.Validate(); err != nil {
		return err
	}
	written := view.ShowPlan(c, "plan for", &options.details)
	if options.markdown == view.MarkdownToStdout && c.JSON == nil {
		written = nil // stdout is for the summary alone
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
			if written != nil {
				written(e)
			}
		}
	})
	if err != nil {
		return err
	}
	options.MandatoryPolicies = options.forecast.Mandatory()
	result, err := stack.Preview(ctx, options.PreviewOptions)
	if result != nil && result.Unanswered != nil {
		c.JSON.Refusal(gate.IdentityGate().Name, result.Unanswered) // people have read a warning
	}
	if result == nil || result.Plan == nil {
		return err
	}
	if options.forecast.Picture != "" {
		if err := view.WritePicture(c, options.forecast.Picture, result.Picture()); err != nil {
			return err
		}
	}
	comment := commentOn(result)
	if unwritten := view.WriteMarkdown(c, options.markdown, comment.Markdown(), comment.Digest()); unwritten != nil {
		return unwritten
	}
	switch {
	case !result.Saved:
	case c.JSON != nil:
		c.JSON.Write("savedPlan", map[string]string{"file": options.SavePlan})
	default:
		c.Say("plan: %s; `hypershift-aws up -s %s --plan %s` carries it out", options.SavePlan, result.Stack, invocation.Quote(options.SavePlan))
	}
	if n := len(result.Refusals); options.expectNoRefusal && err == nil && (n > 0 || result.Unanswered != nil) {
		return invocation.RefusedPlan(result.Stack)
	}
	return err
}

// commentOn returns the summary of a preview for a pull request.
func commentOn(result *automation.PreviewResult) pullrequest.Comment {
	comment := pullrequest.Comment{Stack: result.Stack, Label: result.Label, Plan: result.Plan, Drift: result.Drift, DriftChecked: result.DriftChecked}
	if result.Unanswered != nil {
		comment.Refused = append(comment.Refused, "the management cluster does not answer: "+result.Unanswered.Error())
	}
	for _, r := range result.Refusals {
		if r.Gate != plan.GuardGate().Name { // the comment has a list of its steps
			comment.Refused = append(comment.Refused, r.Err.Error())
		}
	}
	comment.Time, comment.Cost, comment.Policies = forecasting.Markdown(result.Forecast)
	return comment
}

func addExpectNoChanges(cmd *cobra.Command, value *bool, note string) {
	cmd.Flags().BoolVar(value, "expect-no-changes", false, "exit with code 3 if there are changes"+note)
}

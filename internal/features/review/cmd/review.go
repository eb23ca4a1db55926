// Package cmd has the flags for a review: --save-plan of preview, --plan of up, and --markdown of preview and drift.
package cmd

import (
	"context"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/pullrequest"
)

// Feature returns the flags for a review, and the summaries for a pull request.
func Feature() invocation.Feature {
	return invocation.Feature{
		Name: "review",
		Up: func(_ *invocation.Invocation, up *invocation.UpCommand) {
			up.Flags().StringVar(&up.Options.Plan, "plan", "",
				"carry out the plan that preview --save-plan saved in this `file`, or nothing")
		},
		Preview: extendPreview,
		Drift:   extendDrift,
	}
}

func extendPreview(c *invocation.Invocation, preview *invocation.PreviewCommand) {
	var markdown string
	flags := preview.Flags()
	flags.StringVar(&preview.Options.SavePlan, "save-plan", "", "save the plan in a `file`, for up --plan")
	view.AddMarkdown(preview.Command, &markdown)
	flags.Lookup("drift").Usage += " (default with --save-plan and --markdown: true)"
	preview.Checks = append(preview.Checks, func() error {
		preview.StdoutTaken = markdown == view.MarkdownToStdout
		if flags.Changed("drift") {
			return checkDrift(preview.Options)
		}
		preview.Options.Drift = preview.Options.SavePlan != "" || markdown != ""
		return nil
	})
	preview.Results = append(preview.Results, func(_ context.Context, result *automation.PreviewResult, _ error) error {
		comment := pullrequest.OfPreview(pullrequest.Comment{
			Stack: result.Stack, Label: result.Label, Plan: result.Plan, Drift: result.Drift, DriftChecked: result.DriftChecked,
		}, result.Refusals, result.Unanswered, result.Forecast)
		if err := view.WriteMarkdown(c, markdown, comment.Markdown(), comment.Digest()); err != nil {
			return err
		}
		showSaved(c, result, preview.Options.SavePlan)
		return nil
	})
}

// checkDrift refuses a plan that is saved without the changes made outside the stack.
func checkDrift(options automation.PreviewOptions) error {
	if options.SavePlan != "" && !options.Drift {
		return invocation.Refuse("--save-plan requires the drift: omit --drift=false")
	}
	return nil
}

// showSaved says how to carry out a saved plan.
func showSaved(c *invocation.Invocation, result *automation.PreviewResult, file string) {
	switch {
	case !result.Saved:
	case c.JSON != nil:
		c.JSON.Write("savedPlan", map[string]string{"file": file})
	default:
		c.Say("plan: %s; `hypershift-aws up -s %s --plan %s` carries it out", file, result.Stack, invocation.Quote(file))
	}
}

func extendDrift(c *invocation.Invocation, drift *invocation.DriftCommand) {
	var markdown string
	view.AddMarkdown(drift.Command, &markdown)
	drift.Checks = append(drift.Checks, func() error {
		drift.StdoutTaken = markdown == view.MarkdownToStdout
		return nil
	})
	drift.Results = append(drift.Results, func(_ context.Context, result *automation.DriftResult, _ error) error {
		comment := pullrequest.Comment{
			Stack: result.Stack, Label: result.Label, Drift: result.Drift, DriftChecked: true,
		}
		for _, f := range append(slices.Clone(result.Existing), result.Added...) {
			comment.Given = append(comment.Given, f.String())
		}
		return view.WriteMarkdown(c, markdown, comment.Markdown(), comment.Digest())
	})
}

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

func driftCommand(c *invocation.Invocation) *cobra.Command {
	var markdown string
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "Show how AWS differs from the stack's state, and change nothing",
		Long: `Reads every resource of the stack from AWS and shows what was changed or deleted outside the stack since its last update. Neither
AWS nor the state is changed: refresh writes the differences to the state, and up restores the configuration of the stack's file.

Exit code 3 if anything differs, 0 if nothing does.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stack, err := c.Open(cmd.Context(), automation.MustExist, true)
			if err != nil {
				return err
			}
			defer stack.Close()
			return runDrift(cmd.Context(), c, stack, markdown)
		},
	}
	view.AddMarkdown(cmd, &markdown)
	return cmd
}

func runDrift(ctx context.Context, c *invocation.Invocation, stack *automation.Stack, markdown string) error {
	found, err := stack.Drift(ctx)
	if err != nil {
		return err
	}
	drift := plan.Drift(found)
	showDrift(c, drift)
	switch {
	case c.JSON != nil:
		c.JSON.Report(found.Summary)
	case markdown != view.MarkdownToStdout:
		fmt.Fprint(c.Streams.Out, plan.DriftText(drift), report.SummaryText(found.Summary), "\n")
	}
	comment := pullrequest.Comment{Stack: stack.Name, Offline: c.Offline, Drift: drift, DriftChecked: true}
	if err := view.WriteMarkdown(c, markdown, comment.Markdown(), comment.Digest()); err != nil {
		return err
	}
	if len(drift) == 0 {
		return nil
	}
	return &failure.Error{
		Reason:  failure.ChangesFound,
		Problem: fmt.Sprintf("AWS differs from the state of stack %s: %s", stack.Name, found.Counts().Text(report.Found)),
		Remedy: fmt.Sprintf("`hypershift-aws refresh -s %s` accepts it; `hypershift-aws up -s %s` then restores the configuration of the file",
			stack.Name, stack.Name),
	}
}

// showDrift writes a drift for programs.
func showDrift(c *invocation.Invocation, drift []plan.Difference) {
	if c.JSON == nil {
		return
	}
	for _, d := range drift {
		c.JSON.Event("drift", d)
	}
}

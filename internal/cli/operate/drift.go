package operate

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func driftCommand(c *invocation.Invocation, features []invocation.Feature) *cobra.Command {
	drift := &invocation.DriftCommand{}
	drift.Command = &cobra.Command{
		Use:     "drift",
		GroupID: invocation.OperateAStack,
		Short:   "Show how AWS differs from the stack's state, and change nothing",
		Long: `Reads every resource of the stack from AWS and shows what was changed or deleted outside the stack since its last update. Neither
AWS nor the state is changed: refresh writes the differences to the state, and up then restores the configuration of the stack's file; a field
that another client of the management cluster holds only with --take.

What others added to the stack's resources is shown too: rules of its security groups, routes, policies of its roles, and records
of its zones. A refresh doesn't see them. To accept one, add a waiver for rule addition with its ID to hypershift-aws:policyWaivers.

Existing resources that the stack's file names, such as a VPC, roles or hosted zones, are not in the state: they are compared with what the
cluster needs, and shown with what does not work because of the difference.

Exit code 3 if anything differs from the state, if something was added, or if the cluster does not work with an existing resource; otherwise 0.`,
		Example: `  hypershift-aws drift -s dev
  hypershift-aws drift -s dev --markdown=drift.md`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDrift(cmd.Context(), c, drift) },
	}
	for _, feature := range features {
		if feature.Drift != nil {
			feature.Drift(c, drift)
		}
	}
	return drift.Command
}

func runDrift(ctx context.Context, c *invocation.Invocation, drift *invocation.DriftCommand) error {
	if err := drift.Check(); err != nil {
		return err
	}
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	result, err := stack.Drift(ctx)
	if result == nil {
		return err
	}
	showDrift(c, result.Drift)
	switch {
	case c.JSON != nil:
		for _, f := range append(slices.Clone(result.Existing), result.Added...) {
			c.JSON.Write("finding", f)
		}
		c.JSON.Report(result.Summary)
	case !drift.StdoutTaken:
		c.Print(driftText(result))
	}
	if failed := drift.ShowResult(ctx, result, err); failed != nil {
		return failed
	}
	return err
}

// driftText returns a drift as text.
func driftText(result *automation.DriftResult) string {
	text := plan.DriftText(result.Drift) + report.SummaryText(result.Summary) + "\n"
	if len(result.Added) > 0 {
		text = "added to the stack's resources:\n" + report.FindingsText(result.Added) + text
	}
	if len(result.Existing) > 0 {
		text = "existing resources that the stack's file names:\n" + report.FindingsText(result.Existing) + text
	}
	return text
}

// showDrift writes a drift for programs.
func showDrift(c *invocation.Invocation, drift []changes.Difference) {
	for _, d := range drift {
		c.JSON.Event("drift", d)
	}
}

func refreshCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.RefreshOptions
	cmd := &cobra.Command{
		Use:     "refresh",
		GroupID: invocation.OperateAStack,
		Short:   "Update the stack's state to what is in AWS",
		Long: `Reads every resource of the stack from AWS and writes it to the state. Nothing in AWS changes: the next up
corrects what differs from the stack's file. What an interrupted run was creating is not searched for: repair does that.`,
		Example: `  hypershift-aws refresh -s dev
  hypershift-aws refresh -s dev --expect-no-changes`,
		Annotations: map[string]string{
			invocation.FleetShort: "Update the states of many stacks to what is in AWS",
			invocation.FleetFlags: "expect-no-changes",
		},
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			_, err := stack.Refresh(ctx, options)
			return err
		}),
	}
	addExpectNoChanges(cmd, &options.ExpectNoChanges, "; the state is refreshed nevertheless")
	cmd.Flags().BoolVar(&options.ForgetPending, "forget-pending", false, "drop resources whose creation was interrupted from the state, without a search in AWS")
	return cmd
}

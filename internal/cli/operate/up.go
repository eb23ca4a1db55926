package operate

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"
)

// upOptions are the flags of up.
type upOptions struct {
	expectNoChanges bool
	allow           []string
	plan            string
	skipPreflight   bool
	wait            bool
	waitTimeout     time.Duration
	forecast        view.Options
}

func upCommand(c *invocation.Invocation) *cobra.Command {
	var options upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Create or update the stack's resources",
		Long: `Creates, updates and deletes resources until they match the stack's file: previews the changes, prompts for confirmation,
and carries them out.

A plan that replaces or deletes a VPC, subnet, NAT gateway, hosted zone, IAM role, bucket or OIDC provider
is refused, with the input that causes it and a remedy, unless --allow names each resource. With --policy mandatory, a
plan that violates a policy is refused too, and so is a plan that exceeds a quota (see hypershift-aws preflight) unless
--skip-preflight is set.

With --plan a plan saved by preview --save-plan is carried out exactly as reviewed. If up would now do something else, because the
config, the state or AWS has changed since, it is refused with the differences and exit code 3.

With --wait the command then waits until the hosted cluster is available and its node pools have nodes, and shows the
conditions of both as they change.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runUp(cmd.Context(), c, options) },
	}
	addExpectNoChanges(cmd, &options.expectNoChanges, ", and change nothing")
	options.forecast.AddFlags(c, cmd)
	cmd.Flags().StringArrayVar(&options.allow, "allow", nil, "allow the plan to replace or delete the guarded resource with this `name`; repeatable")
	invocation.CompleteFlag(cmd, "allow", guardedNames(c))
	cmd.Flags().StringVar(&options.plan, "plan", "", "carry out the plan that preview --save-plan saved in this `file`, or nothing")
	cmd.Flags().BoolVar(&options.skipPreflight, "skip-preflight", false, "do not compare the plan with the quotas")
	cmd.Flags().BoolVar(&options.wait, "wait", false, "wait until the hosted cluster is available and its node pools have nodes")
	cmd.Flags().DurationVar(&options.waitTimeout, "wait-timeout", time.Hour, "the maximum wait, such as `45m`")
	return cmd
}

func runUp(ctx context.Context, c *invocation.Invocation, options upOptions) error {
	if err := options.forecast.Validate(); err != nil {
		return err
	}
	if !options.expectNoChanges {
		if err := c.CanConfirm("up"); err != nil {
			return err
		}
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
	reviewed, err := openReviewed(c, stack, options.plan)
	if err != nil {
		return err
	}
	if !options.expectNoChanges {
		if err := stack.Recover(ctx); err != nil {
			return err
		}
	}
	if err := prepareManagementCluster(ctx, c, stack, !options.expectNoChanges); err != nil {
		return err
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
	c.Say("plan for %s:\n%s%s", stack.Name, plan.Text(planned), f.Text(c.Offline))
	if options.expectNoChanges && planned.HasChanges {
		return changesFound(stack.Name, planned)
	}
	if err := plan.Guard(planned, stack.Name, options.allow); err != nil {
		return err
	}
	if err := f.Refusal(stack.Name, options.forecast); err != nil {
		return err
	}
	if err := stack.CheckPlan(ctx, planned); err != nil {
		return err
	}
	if reviewed != nil {
		if err := reviewed.check(ctx, stack, planned); err != nil {
			return err
		}
	}
	if !options.skipPreflight {
		if err := checkQuotas(ctx, c, stack, planned); err != nil {
			return err
		}
	}
	// A plan without changes is carried out too, without confirmation: outputs may be new.
	if planned.HasChanges && !c.Yes {
		if err := c.Confirm("Carry out this plan?"); err != nil {
			return err
		}
	}
	err = f.Follow(c, stack, func() error { return reviewed.up(ctx, stack) })
	if err != nil {
		return err
	}
	if options.forecast.Picture != "" {
		in, err := view.StatePicture(ctx, c, stack, false)
		if err != nil {
			return err
		}
		if err := view.WritePicture(c, options.forecast.Picture, in); err != nil {
			return err
		}
	}
	if !options.wait {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, options.waitTimeout)
	defer cancel()
	return stack.WaitForHostedCluster(ctx, waitInterval(c))
}

// checkQuotas refuses a plan that exceeds a quota, and warns about quotas that it cannot compare.
func checkQuotas(ctx context.Context, c *invocation.Invocation, stack *automation.Stack, planned *plan.Plan) error {
	report, err := stack.PreflightQuick(ctx, planned)
	if err != nil {
		return err
	}
	for _, f := range report.Findings {
		if f.Verdict == preflight.Warns {
			c.Say("warning: preflight: %s", f.Line())
		}
	}
	return report.Err(stack.Name)
}

// prepareManagementCluster refuses a management cluster that does not support the objects, before anything is created in AWS. If changing
// is false it writes nothing there.
func prepareManagementCluster(ctx context.Context, c *invocation.Invocation, stack *automation.Stack, changing bool) error {
	if changing {
		return stack.PrepareManagementCluster(ctx)
	}
	return stack.CheckManagementCluster(ctx)
}

// waitInterval returns how often a hosted cluster is read.
func waitInterval(c *invocation.Invocation) time.Duration {
	if c.Offline {
		return 100 * time.Millisecond
	}
	return 5 * time.Second
}

// guardedNames returns the resources in the stack's state that up replaces and deletes only with --allow.
func guardedNames(c *invocation.Invocation) invocation.Names {
	return func(cmd *cobra.Command) ([]string, error) {
		stack, err := c.OpenToComplete(cmd)
		if err != nil {
			return nil, err
		}
		defer stack.Close()
		resources, err := stack.Resources(cmd.Context())
		if err != nil {
			return nil, err
		}
		var guarded []string
		for _, r := range resources {
			if record, known := awstype.Of(string(r.Type)); known && record.Guarded {
				guarded = append(guarded, r.URN.Name())
			}
		}
		slices.Sort(guarded)
		return slices.Compact(guarded), nil
	}
}

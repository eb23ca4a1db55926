package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/estimate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// upOptions are the flags of up.
type upOptions struct {
	expectNoChanges bool
	allow           []string
	wait            bool
	waitTimeout     time.Duration
	forecast        forecastOptions
}

func (c *invocation) upCommand() *cobra.Command {
	var options upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Create or update the stack's resources",
		Long: `Creates, updates and deletes resources until the stack is what its file says: previews the changes, asks, and
carries them out.

A plan that replaces or deletes a VPC, subnet, NAT gateway, hosted zone, IAM role, bucket or OIDC provider
is refused, with the input that causes it and what to write instead, unless --allow names each resource. With --policy
mandatory, a plan that violates a policy is refused too.

With --wait the command then waits until the hosted cluster is available and its node pools have nodes, and shows the
conditions of both as they change.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.up(cmd.Context(), options) },
	}
	addExpectNoChanges(cmd, &options.expectNoChanges, ", and change nothing")
	c.addForecast(cmd, &options.forecast)
	cmd.Flags().StringArrayVar(&options.allow, "allow", nil, "let the plan replace or delete the guarded resource of this `name`; repeatable")
	completeFlag(cmd, "allow", c.guardedNames)
	cmd.Flags().BoolVar(&options.wait, "wait", false, "wait until the hosted cluster is available and its node pools have nodes")
	cmd.Flags().DurationVar(&options.waitTimeout, "wait-timeout", time.Hour, "how long to wait, such as `45m`")
	return cmd
}

func (c *invocation) up(ctx context.Context, options upOptions) error {
	if err := options.forecast.validate(); err != nil {
		return err
	}
	if !options.expectNoChanges {
		if err := c.canConfirm("up"); err != nil {
			return err
		}
	}
	stack, err := c.open(ctx, automation.MayCreate, false)
	if err != nil {
		return err
	}
	defer stack.Close()
	waivers, err := waiversOf(stack.File())
	if err != nil {
		return err
	}
	if !options.expectNoChanges {
		if err := stack.Recover(ctx); err != nil {
			return err
		}
	}
	if err := c.prepareManagementCluster(ctx, stack, !options.expectNoChanges); err != nil {
		return err
	}
	planned, err := stack.Preview(ctx)
	if err != nil {
		return err
	}
	f, err := c.forecast(stack, planned, waivers)
	if err != nil {
		return err
	}
	c.showPlan(planned, f)
	c.say("plan for %s:\n%s%s", stack.Name, plan.Text(planned), f.text(c.offline))
	if options.expectNoChanges && planned.HasChanges {
		return changesFound(stack.Name, planned)
	}
	if err := plan.Guard(planned, stack.Name, options.allow); err != nil {
		return err
	}
	if err := f.refusal(stack.Name, options.forecast); err != nil {
		return err
	}
	if err := stack.CheckPlan(ctx, planned); err != nil {
		return err
	}
	// A plan without changes is carried out too, without a question: outputs may be new.
	if planned.HasChanges && !c.yes {
		if err := c.confirm("Carry out this plan?"); err != nil {
			return err
		}
	}
	err = c.carryOut(stack, f, func() error {
		_, err := stack.Up(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if options.forecast.picture != "" {
		in, err := c.statePicture(ctx, stack, false)
		if err != nil {
			return err
		}
		if err := c.writePicture(options.forecast.picture, in); err != nil {
			return err
		}
	}
	if !options.wait {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, options.waitTimeout)
	defer cancel()
	return stack.WaitForHostedCluster(ctx, c.waitInterval())
}

// carryOut runs an operation, says how long it still takes, and remembers how long its parts took. Offline, where AWS takes no time,
// there is nothing to say or to remember.
func (c *invocation) carryOut(stack *automation.Stack, f *forecast, run func() error) error {
	if c.offline {
		return run()
	}
	c.progress.Follow(estimate.NewTracker(f.steps, f.history.Seconds, parallel))
	c.took = nil
	err := run()
	c.remember(stack, f, c.took)
	return err
}

// prepareManagementCluster refuses a management cluster that cannot take the objects, before anything is made in AWS. Where
// changing is false it writes nothing there.
func (c *invocation) prepareManagementCluster(ctx context.Context, stack *automation.Stack, changing bool) error {
	if changing {
		return stack.PrepareManagementCluster(ctx)
	}
	return stack.CheckManagementCluster(ctx)
}

// waitInterval is how often a hosted cluster is looked at.
func (c *invocation) waitInterval() time.Duration {
	if c.offline {
		return 100 * time.Millisecond
	}
	return 5 * time.Second
}

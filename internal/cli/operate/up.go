package operate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// upFlags are flags of up that are no options of its operation.
type upFlags struct {
	wait        bool
	waitTimeout time.Duration
	details     bool
}

func upCommand(c *invocation.Invocation, features []invocation.Feature) *cobra.Command {
	up := &invocation.UpCommand{}
	var flags upFlags
	up.Command = &cobra.Command{
		Use:     "up",
		GroupID: invocation.OperateAStack,
		Short:   "Create or update the stack's resources",
		Long: `Creates, updates, and deletes resources until they match the stack's file: previews the changes, prompts for confirmation,
and carries them out.

A plan that replaces or deletes what a running cluster depends on, such as a VPC, subnet, NAT gateway, hosted zone, IAM role, bucket, OIDC
provider, node pool or credential of the operator, is refused, with the input that causes it and a remedy, unless --allow names each resource. With --policy mandatory, a
plan that violates a policy is refused too, and so is a plan that exceeds a quota (see hypershift-aws preflight) unless
--skip-preflight is set.

With --plan a plan saved by preview --save-plan is carried out exactly as reviewed. If up would now do something else, because the
config, the state or AWS has changed since, it is refused with the differences and exit code 3.

A field of a HostedCluster or NodePool that another client of the management cluster has changed, such as kubectl scale, is left as it is,
and printed with both values. --take gives it the value of the file.

With --wait the command then waits until the hosted cluster is available and its node pools have nodes, and shows the
conditions of both as they change.`,
		Example: `  hypershift-aws up -s dev
  hypershift-aws up -s dev --yes --wait
  hypershift-aws up -s dev --yes --plan dev.plan
  hypershift-aws up -s dev --allow network-nat-us-east-1a`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runUp(cmd.Context(), c, up, flags) },
	}
	cmd, options := up.Command, &up.Options
	addExpectNoChanges(cmd, &options.ExpectNoChanges, ", and change nothing")
	c.AddUnreadStack(cmd)
	view.AddDetails(cmd, &flags.details)
	cmd.Flags().StringSliceVar(&options.Allow, "allow", nil,
		"allow the plan to replace or delete the guarded resource with this `name`; repeatable, or several names separated by commas")
	invocation.CompleteFlag(cmd, "allow", c.StackNames(
		func(ctx context.Context, s *automation.Stack) ([]string, error) { return s.GuardedNames(ctx) }))
	cmd.Flags().BoolVar(&flags.wait, "wait", false,
		"wait until the hosted cluster is available and its node pools have nodes")
	cmd.Flags().DurationVar(&flags.waitTimeout, "wait-timeout", time.Hour, "the maximum `time` to wait, such as 45m")
	up.Checks = append(up.Checks, func() error { return flags.complete(cmd, options) })
	for _, feature := range features {
		if feature.Up != nil {
			feature.Up(c, up)
		}
	}
	return cmd
}

// complete sets the wait.
func (f *upFlags) complete(cmd *cobra.Command, options *automation.UpOptions) error {
	switch {
	case f.wait:
		options.Wait = f.waitTimeout
	case cmd.Flags().Changed("wait-timeout"):
		return invocation.Refuse("--wait-timeout is for --wait: set --wait too, or leave it out")
	}
	return nil
}

func runUp(ctx context.Context, c *invocation.Invocation, up *invocation.UpCommand, flags upFlags) error {
	if err := up.Check(); err != nil {
		return err
	}
	if !up.Options.ExpectNoChanges {
		if err := c.CanConfirm("up"); err != nil {
			return err
		}
	}
	up.PlanParts = append(up.PlanParts, view.NotCompared(func() bool { return up.Options.Plan != "" }))
	stack, err := c.Automation(view.ShowPlan(c, "plan for", up.PlanParts, &flags.details))
	if err != nil {
		return err
	}
	options := up.Options
	options.Decide = c.Decide
	result, err := stack.Up(ctx, options)
	if err == nil && (result.Done.Counts().Changes() > 0 || result.Done.Counts().Same == 0) {
		c.SayText("next: " + nextOf(result, flags.wait))
	}
	if failed := up.ShowResult(ctx, result, err); failed != nil {
		return errors.Join(err, failed)
	}
	return err
}

// nextOf returns what to do after an update. waited is true if the hosted cluster is ready.
func nextOf(result *automation.UpResult, waited bool) string {
	if waited {
		return fmt.Sprintf("`hypershift-aws kubeconfig -s %s --write FILE` writes the kubeconfig of the cluster", result.Stack)
	}
	for _, step := range result.Done.Steps {
		if kind := step.Type[strings.LastIndex(step.Type,
			":")+1:]; strings.HasPrefix(step.Type, "kubernetes:") && (kind == "HostedCluster" || kind == "Cluster") {
			return fmt.Sprintf("the cluster's operators continue; `hypershift-aws status -s %s` shows how far they are", result.Stack)
		}
	}
	if section := config.As[config.NextStepSection](result.File); section != nil {
		if next := section.NextStep(result.Stack, filepath.Base(result.File.Path)); next != "" {
			return next
		}
	}
	return fmt.Sprintf("`hypershift-aws outputs -s %s` prints what the stack provides", result.Stack)
}

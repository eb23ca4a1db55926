// Package cmd has the commands pause and resume.
package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
)

// Feature returns the commands pause and resume. They are up with a change of the stack's file before it, and have its
// flags and what features show of its plans.
func Feature() invocation.Feature {
	var up *invocation.UpCommand
	return invocation.Feature{
		Name: "pause",
		Up:   func(_ *invocation.Invocation, command *invocation.UpCommand) { up = command },
		Commands: func(c *invocation.Invocation, root *cobra.Command) {
			root.AddCommand(pauseCommand(c, up), resumeCommand(c, up))
		},
	}
}

// withPools are the stacks that fleet pause and resume run on without a selection: other kinds have no node pools.
const withPools = "kind=cluster kind=nodePools"

// shared are the flags of up that the commands have too.
func shared() []string {
	return []string{"allow", "details", "policy", "prices", "skip-preflight", "take", "unread-stack", "wait",
		"wait-timeout"}
}

func pauseCommand(c *invocation.Invocation, up *invocation.UpCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pause",
		Short: "Let a cluster have no nodes, such as at night",
		Long: `Writes nodesPausedSince, with the time, into the stack's file, and runs up, which prompts and has its gates: each node
pool of the stack then has 0 replicas and no autoscaling. The numbers in the file stay, and resume starts as many nodes
again. Everything that runs the file agrees: up, pulumi up, drift, a pipeline. So commit the file. With --offline, the file
is edited too. The file is written once the plan is confirmed.

The workloads end. Pods are evicted for at most drainTimeout, or 15 minutes without one, because a PodDisruptionBudget
would keep its node for ever: no other node takes the pods. The control plane, volumes of EBS and load balancers stay, and
cost what they did, as reserved capacity does. Cluster operators that run on nodes, such as ingress and the console, are
not available meanwhile: status and diagnose expect that.

It is refused for a stack that was never deployed; with autoNode, because Karpenter would create nodes for the evicted
pods; while a release is rolled out, node pools are updated, or something is in deletion; if another client has set the
number of nodes (see --take); and for instance types with an instance store, whose data ends, unless --allow names the
pool. A new release is refused while the nodes are paused.

This is not HyperShift's spec.pausedUntil, which stops its operators, and leaves the nodes running.`,
		Example: `  hypershift-aws pause -s dev
  hypershift-aws pause -s dev --yes --wait
  hypershift-aws fleet pause --select kind=cluster,tag:env=dev --yes`,
		Annotations: map[string]string{
			invocation.FleetShort:    "Let many clusters have no nodes, such as at night",
			invocation.FleetLong:     "Pauses the nodes of each stack with node pools as pause does, and edits its file.",
			invocation.FleetSelect:   withPools,
			invocation.FleetQuestion: "Let the clusters of all these stacks have no nodes? Their workloads end.",
		},
	}
	return complete(c, cmd, up, (*automation.Stack).Pause)
}

func resumeCommand(c *invocation.Invocation, up *invocation.UpCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Let a cluster have its nodes again after pause",
		Long: `Takes nodesPausedSince out of the stack's file, and runs up: each node pool has the replicas or the autoscaling of the
file again. A pool with autoscaling begins with its minimum. If up is refused or not confirmed, such as by a quota, the
file is as before.`,
		Example: `  hypershift-aws resume -s dev --yes --wait
  hypershift-aws fleet resume --select kind=cluster,tag:env=dev --yes`,
		Annotations: map[string]string{
			invocation.FleetShort:    "Let many clusters have their nodes again after fleet pause",
			invocation.FleetSelect:   withPools,
			invocation.FleetQuestion: "Start the nodes of all these stacks again?",
		},
	}
	return complete(c, cmd, up, (*automation.Stack).Resume)
}

// complete adds up's flags to a command, which runs an operation with its options.
func complete(
	c *invocation.Invocation,
	cmd *cobra.Command,
	up *invocation.UpCommand,
	run func(*automation.Stack, context.Context, automation.UpOptions) (*automation.UpResult, error),
) *cobra.Command {
	cmd.GroupID = invocation.OperateAStack
	cmd.Annotations[invocation.FleetFlags] = "allow policy skip-preflight unread-stack wait wait-timeout"
	for _, name := range shared() {
		if flag := up.Flags().Lookup(name); flag != nil {
			cmd.Flags().AddFlag(flag)
		}
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := up.Check(); err != nil {
			return err
		}
		if err := c.CanConfirm(cmd.Name()); err != nil {
			return err
		}
		details, err := up.Flags().GetBool("details")
		if err != nil {
			return err //nolint:wrapcheck // a flag of this program
		}
		stack, err := c.Automation(view.ShowPlan(c, "plan for", up.PlanParts, &details))
		if err != nil {
			return err
		}
		options := up.Options
		options.Decide = c.Decide
		result, err := run(stack, cmd.Context(), options)
		return errors.Join(err, up.ShowResult(cmd.Context(), result, err))
	}
	return cmd
}

package operate

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func destroyCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.DestroyOptions
	var details bool
	cmd := &cobra.Command{
		Use:     "destroy",
		GroupID: invocation.CleanUp,
		Short:   "Delete the resources of the stack",
		Long: `Deletes all resources of the stack in AWS, in dependency order. The stack's file and its empty state remain, unless
--remove is set. The cluster in the stack's state, a HostedCluster or a Cluster, is deleted before anything that it depends
on. The command prompts for its name, or takes it from --cluster with --yes. It does the same before it deletes node pools of a
running HostedCluster that the stack does not own. A management stack is deleted after the cluster stacks that refer to it.

If the state has no cluster, or its management cluster does not have it, nothing is deleted while the cluster is alive, or
while that is unknown. It counts as alive while its management cluster has it or, if that cannot be asked, while AWS has an
instance, a registered target or an endpoint of it, or cannot be searched. --destroy-under-living-cluster with the cluster's name deletes
its network, roles, and nodes nevertheless; each use is recorded in .hypershift-aws/consents.jsonl.

Resources that the hosted cluster's operators left in AWS are deleted after the cluster, before the network that they
block: those that ` + "`hypershift-aws sweep -s STACK --delete --min-age 0s --running`" + ` deletes. Volumes, snapshots, and
buckets stay unless --data is set; --no-sweep leaves all of these resources.

If the management cluster of the cluster in the state cannot be read, nothing is changed. If it no longer exists, use
--management-cluster-gone: its objects are removed from the state, and what its operators would have deleted in AWS is
deleted as leftovers. The flag alone has no effect while an API server answers at its address, or while AWS shows that
the cluster is alive.`,
		Example: `  hypershift-aws destroy -s dev
  hypershift-aws destroy -s dev --yes --cluster demo --remove`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDestroy(cmd.Context(), c, options, details) },
	}
	c.AddUnreadStack(cmd)
	view.AddDetails(cmd, &details)
	cmd.Flags().BoolVar(&options.RemoveState, "remove", false, "also remove the stack's state and history")
	cmd.Flags().BoolVar(&options.Data, "data", false, "also delete the volumes, snapshots and buckets that the hosted cluster left")
	cmd.Flags().BoolVar(&options.KeepLeftovers, "no-sweep", false, "do not delete what the hosted cluster left in AWS")
	cmd.Flags().BoolVar(&options.ManagementClusterGone, "management-cluster-gone", false,
		"the management cluster no longer exists: delete in AWS what its operators would have deleted")
	cmd.MarkFlagsMutuallyExclusive("management-cluster-gone", "no-sweep")
	cmd.MarkFlagsMutuallyExclusive("data", "no-sweep")
	cmd.Flags().StringVar(&options.Cluster, "cluster", "", "the `name` of the hosted cluster or Cluster to delete, instead of the prompt")
	cmd.Flags().StringVar(&options.UnderLivingCluster, strings.TrimPrefix(gate.ConsentFlag, "--"), "",
		"the `name` of the cluster whose network, roles and nodes are deleted although it is alive or may be")
	return cmd
}

func runDestroy(ctx context.Context, c *invocation.Invocation, options automation.DestroyOptions, details bool) error {
	if err := c.CanConfirm("destroy"); err != nil {
		return err
	}
	stack, err := c.Automation(view.ShowPlan(c, "to be deleted in", &details))
	if err != nil {
		return err
	}
	options.Decide = func(ctx context.Context, q automation.Question) (bool, error) {
		switch {
		case !c.Yes:
		case q.Name != "" && q.Machines:
			return false, invocation.Refuse("stack %s has a protected Cluster, which --yes alone does not delete: use --cluster %s", q.Stack, q.Name)
		case q.Name != "" && q.NodePools:
			return false, invocation.Refuse("stack %s has node pools of a living hosted cluster, which --yes alone does not delete: use --cluster %s", q.Stack, q.Name)
		case q.Name != "":
			return false, invocation.Refuse("stack %s has a hosted cluster, which --yes alone does not delete: use --cluster %s", q.Stack, q.Name)
		case q.Living != "":
			c.Say("deletes %s that cluster %s uses, because %s names it: %s", report.Number(len(q.Resources), "resource"), q.Cluster, gate.ConsentFlag, q.Living)
		}
		return c.Decide(ctx, q)
	}
	result, err := stack.Destroy(ctx, options)
	writeLeft(c, err)
	if err == nil && !options.RemoveState {
		c.Say("next: `hypershift-aws up -s %s` creates everything again; `hypershift-aws destroy -s %[1]s --remove` removes the empty state", result.Stack)
	}
	return err
}

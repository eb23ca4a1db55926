package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func destroyCommand(c *invocation.Invocation, features []invocation.Feature) *cobra.Command {
	destroy := &invocation.DestroyCommand{}
	var details bool
	destroy.Command = &cobra.Command{
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

Nothing is deleted while others have something in the stack's VPC, its hosted zones or its roles: it is named, and --allow with its ID
goes on nevertheless.

If the management cluster of the cluster in the state cannot be read, nothing is changed. If it no longer exists, use
--management-cluster-gone: its objects are removed from the state, and what its operators would have deleted in AWS is
deleted as leftovers. The flag alone has no effect while an API server answers at its address, or while AWS shows that
the cluster is alive.`,
		Example: `  hypershift-aws destroy -s dev
  hypershift-aws destroy -s dev --yes --cluster demo --remove`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDestroy(cmd.Context(), c, destroy, details) },
	}
	c.AddUnreadStack(destroy.Command)
	view.AddDetails(destroy.Command, &details)
	flags, options := destroy.Flags(), &destroy.Options
	flags.BoolVar(&options.RemoveState, "remove", false, "also remove the stack's state and history")
	flags.BoolVar(&options.ManagementClusterGone, "management-cluster-gone", false,
		"the management cluster no longer exists: delete in AWS what its operators would have deleted")
	flags.StringVar(&options.Cluster, "cluster", "",
		"the `name` of the hosted cluster or Cluster to delete, instead of the prompt")
	flags.StringSliceVar(&options.Allow, "allow", nil,
		"the `ID` of what others have in the stack's VPC, zones or roles, and that may be deleted or block the deletion")
	flags.StringVar(&options.UnderLivingCluster, strings.TrimPrefix(gate.ConsentFlag, "--"), "",
		"the `name` of the cluster whose network, roles and nodes are deleted although it is alive or may be")
	for _, feature := range features {
		if feature.Destroy != nil {
			feature.Destroy(c, destroy)
		}
	}
	return destroy.Command
}

func runDestroy(ctx context.Context, c *invocation.Invocation, destroy *invocation.DestroyCommand, details bool) error {
	if err := destroy.Check(); err != nil {
		return err
	}
	if err := c.CanConfirm("destroy"); err != nil {
		return err
	}
	stack, err := c.Automation(view.ShowPlan(c, "to be deleted in", destroy.PlanParts, &details))
	if err != nil {
		return err
	}
	options := destroy.Options
	// The name is asked for once the plan is shown, in place of the question about the plan. An operation asks about its
	// plan before it changes anything.
	var name, named string
	options.Decide = func(ctx context.Context, q automation.Question) (bool, error) {
		switch {
		case !c.Yes && q.Name != "":
			name, named = q.Name, q.Text
			return true, nil
		case !c.Yes && name != "" && q.Living != "":
			q.Text, q.Name = q.Text+"\n"+named, name
		case !c.Yes && name != "":
			q.Text, q.Name = named, name
		case !c.Yes:
		case q.Name != "" && q.Machines:
			return false, unnamed(q, "a protected Cluster")
		case q.Name != "" && q.NodePools:
			return false, unnamed(q, "node pools of a living hosted cluster")
		case q.Name != "":
			return false, unnamed(q, "a hosted cluster")
		case q.Living != "":
			c.Say("deletes %s that cluster %s uses, because %s names it: %s", report.Number(len(q.Resources), "resource"),
				q.Cluster, gate.ConsentFlag, q.Living)
		}
		return c.Decide(ctx, q)
	}
	result, err := stack.Destroy(ctx, options)
	if failed := destroy.ShowResult(ctx, result, err); failed != nil {
		return errors.Join(err, failed)
	}
	if err == nil && !options.RemoveState {
		c.Say("next: `hypershift-aws destroy -s %s --remove` removes the empty state; with the stack's file, an update creates everything again",
			result.Stack)
	}
	return err
}

// unnamed is the refusal of a deletion that needs the cluster's name. The remedy is apart: `fleet destroy` has another.
func unnamed(q automation.Question, what string) error {
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("stack %s has %s, which --yes alone does not delete", q.Stack, what),
		Remedy:  "use --cluster " + q.Name,
	}
}

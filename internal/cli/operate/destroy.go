package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

func destroyCommand(c *invocation.Invocation) *cobra.Command {
	var options destroyOptions
	cmd := &cobra.Command{
		Use:   "destroy",
		Short: "Delete the resources of the stack",
		Long: `Deletes all resources of the stack in AWS, in dependency order. The stack's file and its empty state remain, unless
--remove is set. The hosted cluster of the stack is deleted before anything that it depends on: the command prompts for
its name, or takes it from --cluster with --yes. A hosted cluster that has the stack's infra ID and is not part of the
stack must be deleted first; --cluster with its name deletes its network and roles nevertheless.

In a stack of kind capa the Cluster is deleted first; for a protected Cluster the command prompts for its name in the same
way. If the stack has not applied the Cluster, nothing is deleted while its machines or load balancers are in the
network. A management stack is deleted after the cluster stacks that refer to it.

Resources that the hosted cluster's operators left in AWS are deleted after the cluster, before the network that they
block: those that hypershift-aws sweep -s STACK --delete --min-age 0s --running would delete. Volumes, snapshots and
buckets stay unless --data is set; --no-sweep leaves all of these resources.

If the management cluster cannot be read, nothing is changed. If it no longer exists, use --management-cluster-gone:
its objects are removed from the state, and what its operators would have deleted in AWS, such as the nodes of the
hosted cluster, is deleted as what it left.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDestroy(cmd.Context(), c, options) },
	}
	cmd.Flags().BoolVar(&options.remove, "remove", false, "also remove the stack's state and history")
	cmd.Flags().BoolVar(&options.data, "data", false, "also delete the volumes, snapshots and buckets that the hosted cluster left")
	cmd.Flags().BoolVar(&options.noSweep, "no-sweep", false, "do not delete what the hosted cluster left in AWS")
	cmd.Flags().BoolVar(&options.managementDeleted, "management-cluster-gone", false, "the management cluster no longer exists: delete in AWS what its operators would have deleted")
	cmd.MarkFlagsMutuallyExclusive("management-cluster-gone", "no-sweep")
	cmd.Flags().StringVar(&options.cluster, "cluster", "", "the `name` of the hosted cluster or Cluster to delete, instead of the question")
	return cmd
}

// destroyOptions are the flags of destroy.
type destroyOptions struct {
	remove, data, noSweep, managementDeleted bool
	cluster                                  string
}

func runDestroy(ctx context.Context, c *invocation.Invocation, options destroyOptions) error {
	if err := c.CanConfirm("destroy"); err != nil {
		return err
	}
	stack, err := c.Open(ctx, automation.MustExist, true)
	if err != nil {
		return err
	}
	defer stack.Close()
	if err := stack.Recover(ctx); err != nil {
		return err
	}
	if err := stack.CheckUnused(ctx); err != nil {
		return err
	}
	cluster, err := unprotect(ctx, c, stack, options)
	if err != nil {
		return err
	}
	planned, err := stack.PreviewDestroy(ctx)
	if err != nil {
		return errors.Join(err, protectAgain(ctx, stack, cluster))
	}
	f, err := view.Of(c, stack, planned, nil)
	if err != nil {
		return errors.Join(err, protectAgain(ctx, stack, cluster))
	}
	showPlan(c, planned, f)
	c.Say("to be deleted in %s:\n%s%s", stack.Name, plan.Text(planned), f.Text(c.Offline))
	if planned.HasChanges && !c.Yes {
		if err := c.Confirm("Delete these resources?"); err != nil {
			return errors.Join(err, protectAgain(ctx, stack, cluster))
		}
	}
	err = f.Follow(c, stack, func() error {
		_, err := stack.Destroy(ctx, automation.DestroyOptions{Data: options.data, KeepLeftovers: options.noSweep, ManagementDeleted: options.managementDeleted})
		return err
	})
	if err != nil {
		if why := stack.VPCBlockers(ctx); why != "" {
			c.Say("%s", why)
		}
		return errors.Join(err, protectAgain(ctx, stack, cluster))
	}
	if !options.remove {
		return nil
	}
	if err := stack.Remove(ctx); err != nil {
		return err
	}
	c.Say("removed the state of %s", stack.Name)
	return nil
}

// refuseLiving refuses to delete the network of an active hosted cluster: the management cluster has a HostedCluster with the stack's infra
// ID, but the stack's state does not. The user can allow it by naming the cluster.
func refuseLiving(ctx context.Context, c *invocation.Invocation, stack *automation.Stack, options destroyOptions) error {
	living, err := stack.LivingCluster(ctx)
	named := options.cluster
	switch {
	case err != nil && named == "" && !options.managementDeleted:
		return &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("cannot read from the management cluster whether stack %s has a hosted cluster: %s", stack.Name, err),
			Remedy:  "correct that; if the hosted cluster is deleted, name it with --cluster; if the management cluster no longer exists, use --management-cluster-gone", Cause: err,
		}
	case err != nil || living == nil:
		return nil
	case named == living.Name:
		c.Say("hosted cluster %s/%s exists and is not part of this stack; its network and roles are deleted because --cluster names it", living.Namespace, living.Name)
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the hosted cluster %s/%s has the infra ID of stack %s, but is not in the stack's state: destroy would delete "+
			"its network and roles, but not the cluster", living.Namespace, living.Name, stack.Name),
		Remedy: fmt.Sprintf("delete it first: `kubectl delete hostedcluster -n %s %s`; --cluster %s deletes its network and roles nevertheless",
			living.Namespace, living.Name, living.Name),
	}
}

// protectAgain protects a hosted cluster or Cluster again if destroy failed to delete it. cluster is nil if there is none.
func protectAgain(ctx context.Context, stack *automation.Stack, cluster *clusterstatus.HostedCluster) error {
	if cluster == nil {
		return nil
	}
	if resources, err := stack.Resources(ctx); err == nil && !slices.ContainsFunc(resources, func(r apitype.ResourceV3) bool { return string(r.URN) == cluster.URN }) {
		return nil
	}
	return stack.Protect(ctx, cluster)
}

// unprotect prompts for the name of the stack's hosted cluster or Cluster, and then allows the engine to delete it. It returns nil if there is
// none.
func unprotect(ctx context.Context, c *invocation.Invocation, stack *automation.Stack, options destroyOptions) (*clusterstatus.HostedCluster, error) {
	if stack.IsCAPA(ctx) {
		return unprotectCAPA(ctx, c, stack, options)
	}
	named := options.cluster
	cluster, err := stack.HostedCluster(ctx)
	if err != nil {
		return nil, err
	}
	if cluster == nil {
		return nil, refuseLiving(ctx, c, stack, options)
	}
	if err := stack.CheckDeletable(ctx, cluster, options.managementDeleted); err != nil {
		return nil, err
	}
	if named == "" && !c.Yes {
		question := fmt.Sprintf("This deletes the hosted cluster %s and all that runs on it. Enter its name: ", cluster.Name)
		if named, err = c.Ask(question, ""); err != nil {
			return nil, err
		}
		if named != cluster.Name {
			return nil, &failure.Error{Reason: failure.Failed, Problem: "not confirmed; nothing was changed"}
		}
	}
	switch named {
	case cluster.Name:
		return cluster, stack.Unprotect(ctx, cluster)
	case "":
		return nil, invocation.Refuse("stack %s has a hosted cluster, which --yes alone does not delete: use --cluster %s", stack.Name, cluster.Name)
	}
	return nil, invocation.Refuse("--cluster %s is not the hosted cluster of stack %s: that is %s", named, stack.Name, cluster.Name)
}

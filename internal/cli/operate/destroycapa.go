package operate

import (
	"context"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
)

// unprotectCAPA prompts for the name of the stack's protected Cluster, and then allows the engine to delete it. If the state has no Cluster,
// it refuses to delete the network while CAPA's machines and load balancers are in it, because they would never be deleted.
func unprotectCAPA(ctx context.Context, c *invocation.Invocation, stack *automation.Stack, options destroyOptions) (*clusterstatus.HostedCluster, error) {
	named := options.cluster
	cluster, err := stack.CAPACluster(ctx)
	if err != nil {
		return nil, err
	}
	if cluster == nil {
		return nil, refuseMachines(ctx, c, stack, options.managementDeleted)
	}
	if err := stack.CheckDeletable(ctx, cluster, options.managementDeleted); err != nil {
		return nil, err
	}
	if options.managementDeleted {
		if err := refuseMachines(ctx, c, stack, true); err != nil {
			return nil, err
		}
	}
	if named != "" && named != cluster.Name {
		return nil, invocation.Refuse("--cluster %s is not the Cluster of stack %s: that is %s", named, stack.Name, cluster.Name)
	}
	if !cluster.Protected {
		return cluster, nil
	}
	if named == "" && c.Yes {
		return nil, invocation.Refuse("stack %s has a protected Cluster, which --yes alone does not delete: use --cluster %s", stack.Name, cluster.Name)
	}
	if named == "" {
		question := fmt.Sprintf("This deletes the Cluster %s with its machines and all that runs on them. Enter its name: ", cluster.Name)
		if named, err = c.Ask(question, ""); err != nil {
			return nil, err
		}
		if named != cluster.Name {
			return nil, &failure.Error{Reason: failure.Failed, Problem: "not confirmed; nothing was changed"}
		}
	}
	return cluster, stack.Unprotect(ctx, cluster)
}

// refuseMachines refuses to delete the network while CAPA's machines or load balancers are in it.
func refuseMachines(ctx context.Context, c *invocation.Invocation, stack *automation.Stack, managementDeleted bool) error {
	name, left, err := stack.CAPALeft(ctx)
	if err != nil {
		c.Say("warning: AWS could not be searched for resources of CAPA: %s", err)
		return nil
	}
	if len(left) == 0 {
		return nil
	}
	remedy := fmt.Sprintf("delete the Cluster %s in its management cluster, and run destroy again after it is deleted", name)
	if managementDeleted {
		remedy = "terminate the instances and delete the load balancers in AWS, and run destroy again after they are deleted"
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("Cluster API created these resources for cluster %s, and they block the deletion of the stack's network:\n  %s",
			name, strings.Join(left, "\n  ")),
		Remedy: remedy,
	}
}

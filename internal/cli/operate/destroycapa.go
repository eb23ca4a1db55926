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

// unprotectCAPA has the stack's Cluster of Cluster API named where it is protected, and then lets the engine delete it. Where the state
// has no Cluster, it refuses to delete the network of machines and load balancers that CAPA has made: nobody would take them away.
func unprotectCAPA(ctx context.Context, c *invocation.Invocation, stack *automation.Stack, named string) (*clusterstatus.HostedCluster, error) {
	cluster, err := stack.CAPACluster(ctx)
	if err != nil {
		return nil, err
	}
	if cluster == nil {
		return nil, refuseMachines(ctx, c, stack)
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
		question := fmt.Sprintf("This deletes the Cluster %s with its machines and all that runs on them. Its name: ", cluster.Name)
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
func refuseMachines(ctx context.Context, c *invocation.Invocation, stack *automation.Stack) error {
	name, left, err := stack.CAPALeft(ctx)
	if err != nil {
		c.Say("warning: AWS could not be asked for what CAPA has made: %s", err)
		return nil
	}
	if len(left) == 0 {
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("Cluster API has made this for cluster %s, and the stack's network cannot be deleted while it is there:\n  %s",
			name, strings.Join(left, "\n  ")),
		Remedy: fmt.Sprintf("delete the Cluster %s in its management cluster, and run destroy again when it is gone", name),
	}
}

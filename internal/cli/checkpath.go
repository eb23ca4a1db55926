package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func (c *invocation) checkPathCommand() *cobra.Command {
	var live, planned bool
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Follow the ways of traffic and names through what the stack made",
		Long: `Follows, hop by hop and on the stack's state, the ways from the nodes to their control plane over PrivateLink, from
the names in the local zone to the endpoint, from users to public load balancers, and from the nodes to the internet.
Each hop is printed with the resource that carries it, up to the one that breaks, and the exit code is then 1.

--live first brings the state up to what is in AWS, and so finds what was changed there. --planned follows what the
stack would have after an update, as a preview has it: a stack need not be up for that. What is not there yet has its
name for an ID.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.checkPath(cmd.Context(), live, planned) },
	}
	cmd.Flags().BoolVar(&live, "live", false, "refresh the state first")
	cmd.Flags().BoolVar(&planned, "planned", false, "follow what the stack would have after an update")
	cmd.MarkFlagsMutuallyExclusive("live", "planned")
	return cmd
}

func (c *invocation) checkPath(ctx context.Context, live, planned bool) error {
	mode := automation.MustExist
	if planned {
		mode = automation.MayCreate // as a preview does
	}
	stack, err := c.open(ctx, mode, false)
	if err != nil {
		return err
	}
	defer stack.Close()
	if live {
		if _, err := stack.Refresh(ctx, false); err != nil {
			return err
		}
	}
	paths, err := walk(ctx, stack, planned)
	if err != nil {
		return err
	}
	remedy := fmt.Sprintf("run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`, which makes what is missing", stack.Name, stack.Name)
	if planned {
		remedy = "change the stack's file: an update would not make the ways whole"
	}
	var broken []string
	for _, path := range paths {
		c.showPath(path)
		if hop := path.Broken(); hop != nil {
			broken = append(broken, fmt.Sprintf("%s at the %s: %s", path.Name, hop.Kind, hop.Why))
		}
	}
	if len(broken) == 0 {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("%d of the ways of stack %s break:\n  %s", len(broken), stack.Name, strings.Join(broken, "\n  ")),
		Remedy:  remedy,
	}
}

// walk follows the ways through what a stack has made, or through what it would have after an update.
func walk(ctx context.Context, stack *automation.Stack, planned bool) ([]connectivity.Path, error) {
	file := stack.File()
	if file.Kind != config.KindCluster {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to follow: it is of kind %s", stack.Name, file.Kind),
			Remedy:  "name a stack of kind " + string(config.KindCluster),
		}
	}
	if planned {
		resources, err := stack.PlannedResources(ctx)
		if err != nil {
			return nil, err
		}
		graph := graphOf(resources, true)
		return connectivity.Walk(connectivity.NewGraph(graph), plannedCluster(file.Cluster, graph)), nil
	}
	outputs, err := stack.Outputs(ctx, false)
	if err != nil {
		return nil, err
	}
	if outputs["kind"] == nil {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to follow: it is not up", stack.Name),
			Remedy: fmt.Sprintf("run `hypershift-aws check path -s %s --planned` for what it would make, or `hypershift-aws up -s %s`",
				stack.Name, stack.Name),
		}
	}
	resources, err := stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return connectivity.Walk(connectivity.NewGraph(graphOf(resources, false)), madeCluster(file.Cluster, outputs)), nil
}

func graphOf(resources []apitype.ResourceV3, planned bool) []connectivity.Resource {
	var graph []connectivity.Resource
	for _, r := range resources {
		graph = append(graph, connectivity.Resource{
			Name: r.URN.Name(), Type: string(r.Type), ID: string(r.ID), Properties: r.Outputs, Planned: planned && string(r.ID) == r.URN.Name(),
		})
	}
	return graph
}

// showPath prints a path for people or, with -o json, as an object.
func (c *invocation) showPath(path connectivity.Path) {
	if c.json != nil {
		c.json.write("path", path)
		return
	}
	out := c.streams.Out
	fmt.Fprintln(out, path.Name)
	if path.Absent != "" {
		fmt.Fprintf(out, "  none    %s\n", path.Absent)
	}
	for _, hop := range path.Hops {
		subject := strings.TrimSpace(hop.Name + " " + hop.ID)
		if hop.Name == hop.ID { // planned
			subject = hop.Name
		}
		if subject != "" {
			subject += ": "
		}
		fmt.Fprintf(out, "  %-7s %-16s %s%s\n", hop.Verdict, hop.Kind, subject, hop.Why)
	}
	fmt.Fprintln(out)
}

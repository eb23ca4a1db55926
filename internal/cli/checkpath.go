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
	var live bool
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Follow the paths of traffic and DNS names through the stack's resources",
		Long: `Follows, hop by hop in the stack's state, the paths from the nodes to their control plane over PrivateLink, from
the names in the local zone to the endpoint, from users to public load balancers, and from the nodes to the internet.
Each hop is printed with its resource, up to the first that is broken. The exit code is then 1.

--live refreshes the state first, and so finds what was changed in AWS.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.checkPath(cmd.Context(), live) },
	}
	cmd.Flags().BoolVar(&live, "live", false, "refresh the state first")
	return cmd
}

func (c *invocation) checkPath(ctx context.Context, live bool) error {
	stack, err := c.open(ctx, automation.MustExist, false)
	if err != nil {
		return err
	}
	defer stack.Close()
	if live {
		if _, err := stack.Refresh(ctx, false); err != nil {
			return err
		}
	}
	paths, err := walk(ctx, stack)
	if err != nil {
		return err
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
		Problem: fmt.Sprintf("%d paths of stack %s are broken:\n  %s", len(broken), stack.Name, strings.Join(broken, "\n  ")),
		Remedy: fmt.Sprintf("run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`, which creates what is missing",
			stack.Name, stack.Name),
	}
}

// walk follows the paths through the resources in a stack's state.
func walk(ctx context.Context, stack *automation.Stack) ([]connectivity.Path, error) {
	file := stack.File()
	if file.Kind != config.KindCluster {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to check: it is of kind %s", stack.Name, file.Kind),
			Remedy:  "name a stack of kind " + string(config.KindCluster),
		}
	}
	outputs, err := stack.Outputs(ctx, false)
	if err != nil {
		return nil, err
	}
	if outputs["kind"] == nil {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to check: it is not up", stack.Name),
			Remedy:  fmt.Sprintf("run `hypershift-aws up -s %s`", stack.Name),
		}
	}
	resources, err := stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return connectivity.Walk(connectivity.NewGraph(graphOf(resources)), clusterOf(file.Cluster, outputs)), nil
}

func graphOf(resources []apitype.ResourceV3) []connectivity.Resource {
	var graph []connectivity.Resource
	for _, r := range resources {
		graph = append(graph, connectivity.Resource{Name: r.URN.Name(), Type: string(r.Type), ID: string(r.ID), Properties: r.Outputs})
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
		if subject != "" {
			subject += ": "
		}
		fmt.Fprintf(out, "  %-7s %-16s %s%s\n", hop.Verdict, hop.Kind, subject, hop.Why)
	}
	fmt.Fprintln(out)
}

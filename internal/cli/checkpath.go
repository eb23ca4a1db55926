package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/reach"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

func (c *invocation) checkPathCommand() *cobra.Command {
	var live bool
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Follow the ways of traffic and names through what the stack made",
		Long: `Follows, hop by hop and on the stack's state, the ways from the nodes to their control plane over PrivateLink, from
the names in the local zone to the endpoint, from users to public load balancers, and from the nodes to the internet.
Each hop is printed with the resource that carries it, up to the one that breaks, and the exit code is then 1.

--live first brings the state up to what is in AWS, and so finds what was changed there.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.checkPath(cmd.Context(), live) },
	}
	cmd.Flags().BoolVar(&live, "live", false, "refresh the state first")
	return cmd
}

func (c *invocation) checkPath(ctx context.Context, live bool) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	name, err := project.ResolveStack(c.stack)
	if err != nil {
		return err
	}
	file, err := project.LoadStack(name)
	if err != nil {
		return err
	}
	session, err := c.session(ctx, project)
	if err != nil {
		return err
	}
	stack, err := session.Open(ctx, name, file, automation.MustExist)
	if err != nil {
		return err
	}
	defer stack.Close()
	if live {
		if _, err := stack.Refresh(ctx, false); err != nil {
			return err
		}
	}
	paths, err := walk(ctx, stack, file)
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
	return &automation.Error{
		Reason:  automation.Failed,
		Problem: fmt.Sprintf("%d of the ways of stack %s break:\n  %s", len(broken), name, strings.Join(broken, "\n  ")),
		Remedy:  fmt.Sprintf("run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`, which makes what is missing", name, name),
	}
}

// walk follows the ways through a stack's state.
func walk(ctx context.Context, stack *automation.Stack, file *stacks.File) ([]reach.Path, error) {
	outputs, err := stack.Outputs(ctx, false)
	if err != nil {
		return nil, err
	}
	if outputs["kind"] != string(stacks.KindCluster) {
		return nil, &automation.Error{
			Reason:  automation.Failed,
			Problem: fmt.Sprintf("stack %s has no network to follow: it is not up, or not of kind %s", stack.Name, stacks.KindCluster),
			Remedy:  fmt.Sprintf("run `hypershift-aws up -s %s`, or with --offline for a rehearsal", stack.Name),
		}
	}
	resources, err := stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	var graph []reach.Resource
	for _, r := range resources {
		graph = append(graph, reach.Resource{Name: r.URN.Name(), Type: string(r.Type), ID: string(r.ID), Properties: r.Outputs})
	}
	return reach.Walk(reach.NewGraph(graph), cluster(file.Cluster, outputs)), nil
}

// cluster is what the stack's file and outputs say that there has to be.
func cluster(config *stacks.ClusterConfig, outputs map[string]any) reach.Cluster {
	text := func(name string) string {
		value, _ := outputs[name].(string)
		return value
	}
	byZone := func(name string) map[string]string {
		found := map[string]string{}
		values, _ := outputs[name].(map[string]any)
		for zone, id := range values {
			found[zone] = fmt.Sprint(id)
		}
		return found
	}
	service := config.PrivateLinkService()
	return reach.Cluster{
		Private: config.EndpointAccess.HasPrivate(), Public: config.EndpointAccess.HasPublic(),
		NAT:           len(byZone("natGatewayIDs")) > 0,
		OperatorOwned: config.PrivateLinkOwner() == stacks.OwnerOperator,
		Service:       string(service), Port: service.Port(), Names: service.Names(),
		VPCID: text("vpcID"), NodeSubnets: byZone("privateSubnetIDs"), ELBSubnets: byZone("publicSubnetIDs"),
		LocalZoneID: text("localZoneID"), LocalZone: config.Name + ".hypershift.local",
		PublicZoneID: text("publicZoneID"), BaseDomain: config.BaseDomain,
	}
}

// showPath prints a path for people or, with -o json, as an object.
func (c *invocation) showPath(path reach.Path) {
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

// Package cmd has the command paths.
package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Feature returns the command paths.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "paths", Commands: invocation.Adds(pathsCommand)}
}

func pathsCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.PathsOptions
	cmd := &cobra.Command{
		Use:     "paths",
		GroupID: invocation.InspectAStack,
		Short:   "Check the paths of traffic and names, hop by hop",
		Long: `Checks, hop by hop in the stack's state, the paths from the nodes to their control plane over PrivateLink, from
the names in the local zone to the endpoint, from users to public load balancers, and from the nodes to the internet;
for a stack of kind capa, from clients and nodes to the API server's load balancer, from the nodes to the internet,
and from the bastion to the nodes.
Each hop is printed with its resource, up to the first broken one. The exit code is 1 if a path is broken.

A VPC that exists outside the stack is read in AWS: its route tables, network ACLs and prefix lists decide the paths,
there and back. What can be neither read nor followed, such as the routes of a transit gateway or the rules of a
firewall, is reported as "not modelled" and not checked.

--live refreshes the state first, to include changes made in AWS.`,
		Example: `  hypershift-aws paths -s dev
  hypershift-aws paths -s dev --live`,
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			paths, err := stack.Paths(ctx, options)
			for _, path := range paths {
				showPath(c, path)
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&options.Live, "live", false, "refresh the state first")
	return cmd
}

// width returns the width of the column of verdicts.
func width(path automation.Path) int {
	width := len("breaks ")
	for _, hop := range path.Hops {
		width = max(width, len(hop.Verdict))
	}
	return width
}

// showPath prints a path as text or, with -o json, as an object.
func showPath(c *invocation.Invocation, path automation.Path) {
	if c.JSON != nil {
		c.JSON.Write("path", path)
		return
	}
	out := c.Streams.Out
	fmt.Fprintln(out, report.OneLine(path.Name))
	if path.Absent != "" {
		fmt.Fprint(out, report.Sentence("  none    %s\n", path.Absent))
	}
	for _, hop := range path.Hops {
		subject := strings.TrimSpace(hop.Name + " " + hop.ID)
		if subject != "" {
			subject += ": "
		}
		fmt.Fprint(out, report.Sentence("  %-*s %-16s %s%s\n", width(path), hop.Verdict, hop.Kind, subject, hop.Why))
	}
	fmt.Fprintln(out)
}

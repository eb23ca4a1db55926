// Package cmd has the command preflight, and the flag --skip-preflight of up.
package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
)

// Feature returns the command preflight, and the flag --skip-preflight of up.
func Feature() invocation.Feature {
	return invocation.Feature{
		Name:     "preflight",
		Commands: invocation.Adds(preflightCommand),
		Up: func(_ *invocation.Invocation, up *invocation.UpCommand) {
			up.Flags().BoolVar(&up.Options.SkipQuotas, "skip-preflight", false, "do not compare the plan with the quotas")
		},
	}
}

func preflightCommand(c *invocation.Invocation) *cobra.Command {
	var egress bool
	cmd := &cobra.Command{
		Use:     "preflight",
		GroupID: invocation.CheckBeforeAnUpdate,
		Short:   "Check whether AWS accepts what up creates",
		Long: `Checks, before anything is created, whether AWS and the management cluster accept what up creates: credentials, permissions,
quotas, the region and its zones, instance types, endpoint services, names, networks, the delegation of the base domain, and the
management cluster. It only reads, in every account of the stack's file.

Each check fails, warns, or passes; for a quota the limit, the use and the need are shown. If the caller lacks a permission, a warning
names the IAM action: hypershift-aws permissions --preflight prints all of them. The exit code is 1 if a check fails.

up always checks the quotas, unless --skip-preflight is set. docs/permissions.md describes the checks.

--egress judges instead what the nodes of a hosted cluster can reach of what they need: the registries of the
release and of its mirrors, the control plane, AWS's APIs by their region, and Red Hat's services. For each host it
says what routes, network ACLs, security groups, VPC endpoints with their policies, and the proxy allow from the
node subnets: those that the stack creates, or of an existing VPC those in AWS. A host that nodes need and that is
blocked fails. What only a probe can tell warns as "not known": what is behind a transit gateway or a firewall, what
a proxy lets through, and what cannot be read.`,
		Example: `  hypershift-aws preflight -s dev
  hypershift-aws preflight -s dev --egress`,
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			check := stack.Preflight
			if egress {
				check = stack.Egress
			}
			found, err := check(ctx)
			if found == nil && err != nil {
				return err
			}
			report := &preflight.Report{Findings: found}
			showReport(c, report)
			if err != nil || report.Count(finding.Error) == 0 {
				return err
			}
			return &failure.Error{
				Reason:  failure.Failed,
				Problem: fmt.Sprintf("preflight of stack %s: %s", stack.Name, report.Summary()),
				Remedy:  "correct the failed checks, and run it again; nothing was changed",
			}
		}),
	}
	cmd.Flags().BoolVar(&egress, "egress", false, "judge what nodes can reach instead")
	return cmd
}

// preflightSummary counts a report's findings for programs.
type preflightSummary struct {
	Fails  int `json:"fails"`
	Warns  int `json:"warns"`
	Passes int `json:"passes"`
}

func showReport(c *invocation.Invocation, report *preflight.Report) {
	if c.JSON == nil {
		c.Print(report.Text())
		c.Say("preflight: %s", report.Summary())
		return
	}
	for _, f := range report.Findings {
		c.JSON.Write("finding", f)
	}
	c.JSON.Write("preflight", preflightSummary{report.Count(finding.Error), report.Count(finding.Warning), report.Count(finding.Passed)})
}

package inspect

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func statusCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		GroupID: invocation.InspectAStack,
		Short:   "Show what is reported about the stack's cluster",
		Long: `Shows on one page the conditions of the cluster's objects that are not those of a healthy cluster, the instances, targets of load
balancers, endpoints, and endpoint services with the cluster's tag in AWS, and findings that join both: a condition is not met because a
resource of the stack no longer exists in AWS. It changes nothing and takes no lock.

The first line has the verdict: ready, progressing, failing, unknown (something was not read) or absent (the stack applies no cluster). The exit
code is 0 whatever it is: see diagnose. -o json has all conditions.`,
		Example: `  hypershift-aws status -s dev
  hypershift-aws status -s dev -o json | jq -r .verdict`,
		Annotations: map[string]string{
			invocation.FleetShort: "Show what is reported about the clusters, the worst first",
			invocation.FleetLong: `Shows one line per stack, the worst first: the verdict of status, the version of the control plane, the nodes, and the first reason. The
exit code is that of status for each stack: a cluster that fails is no error. -o json has the whole status of each stack.`,
		},
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			status, err := stack.Status(ctx)
			showStatus(c, status)
			return err
		}),
	}
}

func diagnoseCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "diagnose",
		GroupID: invocation.InspectAStack,
		Short:   "Show what is wrong with the stack's cluster, step by step",
		Long: `Shows what status shows, and the eleven steps of HyperShift's networking flow, each with the paths that it takes, or
why it is not checked. The exit code is 1 if a finding does not end by itself: a broken path, a resource of the stack that no longer exists in
AWS, a configuration that HyperShift refuses.`,
		Example: `  hypershift-aws diagnose -s dev`,
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			status, err := stack.Diagnose(ctx)
			showStatus(c, status)
			return err
		}),
	}
}

// showStatus prints a status as a page or, with -o json, as an object; nothing for nil.
func showStatus(c *invocation.Invocation, s *automation.Status) {
	switch {
	case s == nil:
	case c.JSON != nil:
		c.JSON.Write("status", s)
	default:
		c.Print(statusPage(s))
	}
}

// statusPage returns a status as a page: of the conditions only those that are not expected.
func statusPage(s *automation.Status) string {
	var b strings.Builder
	write := func(format string, args ...any) { b.WriteString(report.Sentence(format, args...)) }
	write("%s: %s", s.Stack, s.Verdict)
	if s.Why != "" {
		write(": %s", s.Why)
	}
	b.WriteString("\n")
	for _, o := range s.Objects {
		write("\n%s %s/%s", o.Kind, o.Namespace, o.Name)
		if o.Summary != "" {
			write(": %s", o.Summary)
		}
		b.WriteString("\n")
		expected := 0
		for _, condition := range o.Conditions {
			if condition.Expected {
				expected++
				continue
			}
			write("  %-8s %s\n", condition.Status, strings.TrimSpace(condition.Type+" "+text(condition.Reason, condition.Message)))
		}
		if expected > 0 {
			write("  %d of %d conditions as expected\n", expected, len(o.Conditions))
		}
	}
	for i, f := range s.AWS {
		if i == 0 || s.AWS[i-1].Kind != f.Kind {
			write("\n%s\n", f.Kind)
		}
		write("  %s\n", strings.Join(strings.Fields(fmt.Sprintf("%s %s: %s (%s %s)", f.ID, f.Name, f.State, f.Account, f.Region)), " "))
	}
	if len(s.Flow) > 0 {
		b.WriteString("\nnetworking\n")
	}
	for _, step := range s.Flow {
		write("  %2d %-7s %s -> %s", step.Number, step.Verdict, step.From, step.To)
		switch {
		case step.Why != "":
			write(": %s", step.Why)
		case len(step.Paths) > 0:
			write(": %s", strings.Join(step.Paths, "; "))
		}
		b.WriteString("\n")
	}
	if len(s.Findings) > 0 {
		b.WriteString("\nfindings\n")
	}
	for _, f := range s.Findings {
		write("  %-7s %s\n", f.Severity, f.String())
	}
	return b.String()
}

// text returns a condition's reason and message.
func text(reason, message string) string {
	if reason != "" && message != "" {
		return "(" + reason + "): " + message
	}
	return reason + message
}

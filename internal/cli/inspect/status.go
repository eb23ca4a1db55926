package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

func statusCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		GroupID: invocation.InspectAStack,
		Short:   "Show whether the stack's cluster is healthy",
		Long: `Shows the verdict, each node pool, and what is not as in a healthy cluster: conditions of the cluster's objects, resources with the
cluster's tag in AWS (instances, targets of load balancers, endpoints and endpoint services), and findings that join both, such as a condition
that is not met because a resource of the stack no longer exists in AWS. What is as expected is counted. Use it to look at a cluster at any time: it
changes nothing, takes no lock, and its exit code is 0 whatever the verdict.

The verdict is ready, progressing, failing, unknown (something was not read) or absent (the stack applies no cluster). To find out why a cluster
is not ready, use diagnose. -o json has all conditions.`,
		Example: `  hypershift-aws status -s dev
  hypershift-aws status -s dev -o json | jq -r .verdict`,
		Annotations: map[string]string{
			invocation.FleetShort: "Show what is reported about the clusters, the worst first",
			invocation.FleetLong: `Shows one line per stack, the worst first: the verdict of status, the version of the control plane, the nodes, and the first reason. The
exit code is that of status for each stack: a cluster that fails is no error. -o json has the whole status of each stack.`,
		},
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			read, err := stack.Status(ctx)
			showStatus(c, read, summaryPage)
			return err
		}),
	}
}

func diagnoseCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "diagnose",
		GroupID: invocation.InspectAStack,
		Short:   "Find out why the stack's cluster is not healthy, step by step",
		Long: `Shows each object and each AWS resource of the cluster, where status counts those that are as expected, and the eleven steps of
HyperShift's networking flow, each with the paths that it takes, or why it is not checked. Use it when status is not ready, and in pipelines: the exit
code is 1 if waiting does not resolve a finding, such as a broken path, a resource of the stack that no longer exists in AWS, or a configuration that
HyperShift refuses.`,
		Example: `  hypershift-aws diagnose -s dev`,
		RunE: c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
			read, err := stack.Diagnose(ctx)
			showStatus(c, read, fullPage)
			return err
		}),
	}
}

// showStatus prints a status as a page or, with -o json, as an object; nothing for nil.
func showStatus(c *invocation.Invocation, s *automation.Status, page func(*automation.Status) string) {
	switch {
	case s == nil:
	case c.JSON != nil:
		c.JSON.Write("status", s)
	default:
		c.Print(page(s))
	}
}

// statusText is a page about a status.
type statusText struct{ strings.Builder }

func (b *statusText) write(format string, args ...any) {
	b.WriteString(report.Sentence(format, args...))
}

// summaryPage returns a status in a few lines: what is as expected is counted, but for the cluster and its node pools.
func summaryPage(s *automation.Status) string {
	b := &statusText{}
	b.verdict(s)
	var objects, resources tally
	for _, o := range s.Objects {
		asExpected := !slices.ContainsFunc(o.Conditions, func(c status.Condition) bool { return !c.Expected })
		if asExpected && o.Kind != s.Kind && o.Kind != crd.NodePool {
			objects.add(o.Kind)
			continue
		}
		b.object(o)
		b.conditions(o)
	}
	for _, f := range s.AWS {
		if f.Expected {
			resources.add(f.Kind)
			continue
		}
		b.resource(f.Kind+" ", f)
	}
	for _, t := range []struct{ where, counted string }{{"", objects.String()}, {" in AWS", resources.String()}} {
		if t.counted != "" {
			b.write("as expected%s: %s\n", t.where, t.counted)
		}
	}
	b.findings(s)
	if s.Verdict == status.Failing || s.Verdict == status.Unknown {
		b.write("\nnext: `hypershift-aws diagnose -s %s` shows each object, AWS resource and networking step\n", s.Stack)
	}
	return b.String()
}

// fullPage returns all of a status but the conditions that are as expected, which it counts.
func fullPage(s *automation.Status) string {
	b := &statusText{}
	b.verdict(s)
	for _, o := range s.Objects {
		b.WriteString("\n")
		b.object(o)
		if expected := b.conditions(o); expected > 0 {
			b.write("  %d of %d conditions as expected\n", expected, len(o.Conditions))
		}
	}
	for i, f := range s.AWS {
		if i == 0 || s.AWS[i-1].Kind != f.Kind {
			b.write("\n%s\n", f.Kind)
		}
		b.resource("  ", f)
	}
	if len(s.Flow) > 0 {
		b.WriteString("\nnetworking\n")
	}
	for _, step := range s.Flow {
		b.write("  %2d %-7s %s -> %s", step.Number, step.Verdict, step.From, step.To)
		switch {
		case step.Why != "":
			b.write(": %s", step.Why)
		case len(step.Paths) > 0:
			b.write(": %s", strings.Join(step.Paths, "; "))
		}
		b.WriteString("\n")
	}
	b.findings(s)
	return b.String()
}

func (b *statusText) verdict(s *automation.Status) {
	b.write("%s: %s", s.Stack, s.Verdict)
	if s.Why != "" {
		b.write(": %s", s.Why)
	}
	b.WriteString("\n")
}

func (b *statusText) object(o status.Object) {
	b.write("%s %s/%s", o.Kind, o.Namespace, o.Name)
	if o.Summary != "" {
		b.write(": %s", o.Summary)
	}
	b.WriteString("\n")
}

// conditions writes the conditions that are not as expected, and returns the number of the others.
func (b *statusText) conditions(o status.Object) (expected int) {
	for _, condition := range o.Conditions {
		if condition.Expected {
			expected++
			continue
		}
		b.write("  %-8s %s\n", condition.Status,
			strings.TrimSpace(condition.Type+" "+text(condition.Reason, condition.Message)))
	}
	return expected
}

func (b *statusText) resource(before string, f status.Fact) {
	b.write("%s%s: %s\n", before, strings.TrimSpace(f.ID+" "+f.Name),
		strings.Join(strings.Fields(fmt.Sprintf("%s (%s %s)", f.State, f.Account, f.Region)), " "))
}

func (b *statusText) findings(s *automation.Status) {
	if len(s.Findings) > 0 {
		b.WriteString("\nfindings\n")
	}
	for _, f := range s.Findings {
		b.write("  %-7s  %s\n", f.Severity, f.String())
	}
}

// tally counts things by their noun, in the order in which the nouns came.
type tally struct {
	nouns  []string
	counts map[string]int
}

func (t *tally) add(noun string) {
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	if t.counts[noun]++; t.counts[noun] == 1 {
		t.nouns = append(t.nouns, noun)
	}
}

// String returns the counts in words, "2 Machines, 1 instance"; "" for none.
func (t *tally) String() string {
	phrases := make([]string, len(t.nouns))
	for i, noun := range t.nouns {
		phrases[i] = report.Number(t.counts[noun], noun)
	}
	return strings.Join(phrases, ", ")
}

// text returns a condition's reason and message.
func text(reason, message string) string {
	if reason != "" && message != "" {
		return "(" + reason + "): " + message
	}
	return reason + message
}

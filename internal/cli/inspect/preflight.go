package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"
)

func preflightCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "preflight",
		Short: "Check whether AWS will accept what up creates",
		Long: `Checks, before anything is created, whether AWS and the management cluster will accept what up creates: credentials, permissions,
quotas, the region and its zones, instance types, endpoint services, names, networks, the delegation of the base domain, and the
management cluster. It only reads, in every account of the stack's file.

Each check fails, warns or passes; for a quota the limit, the use and the need are shown. If the caller lacks a permission, a warning
names the IAM action: hypershift-aws permissions --preflight prints all of them. The exit code is 1 if a check fails.

up always checks the quotas, unless --skip-preflight is set. docs/preflight.md has every check.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPreflight(cmd.Context(), c) },
	}
}

func runPreflight(ctx context.Context, c *invocation.Invocation) error {
	stack, err := c.Open(ctx, automation.MayCreate, false)
	if err != nil {
		return err
	}
	defer stack.Close()
	planned, err := stack.Preview(ctx)
	if err != nil {
		return unplanned(c, err)
	}
	report, err := stack.Preflight(ctx, planned)
	if err != nil {
		return err
	}
	showReport(c, report)
	if report.Count(preflight.Fails) == 0 {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("preflight of stack %s: %s", stack.Name, report.Summary()),
		Remedy:  "correct the failed checks, and run it again; nothing was changed",
	}
}

// unplanned reports a stack that cannot be previewed as a finding too: AWS refuses a lookup or the credentials.
func unplanned(c *invocation.Invocation, err error) error {
	var known *failure.Error
	if !errors.As(err, &known) || failure.ReasonOf(err) != failure.Failed {
		return err
	}
	report := &preflight.Report{}
	reported := known.Reported
	if len(reported) == 0 {
		reported = []string{known.Problem}
	}
	for _, problem := range reported {
		report.Add(preflight.Finding{
			Check: preflight.Preview, Verdict: preflight.Fails, Subject: "the stack cannot be previewed",
			Message: strings.Join(strings.Fields(problem), " "), Remedy: cmp.Or(known.Remedy, "correct it, and run preflight again: the other checks need a preview"),
		})
	}
	showReport(c, report)
	return err
}

// preflightSummary counts a report's findings for programs.
type preflightSummary struct {
	Fails  int `json:"fails"`
	Warns  int `json:"warns"`
	Passes int `json:"passes"`
}

func showReport(c *invocation.Invocation, report *preflight.Report) {
	if c.JSON == nil {
		fmt.Fprint(c.Streams.Out, report.Text())
		c.Say("preflight: %s", report.Summary())
		return
	}
	for _, f := range report.Findings {
		c.JSON.Write("finding", f)
	}
	c.JSON.Write("preflight", preflightSummary{report.Count(preflight.Fails), report.Count(preflight.Warns), report.Count(preflight.Passes)})
}

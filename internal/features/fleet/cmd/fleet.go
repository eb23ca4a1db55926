// Package cmd has the commands of fleet, which run one operation on many stacks, or write many stacks' files.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/pullrequest"
)

// Feature returns the commands of fleet.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "fleet", Commands: func(c *invocation.Invocation, root *cobra.Command) {
		root.AddCommand(fleetCommand(c, root.Commands()))
	}}
}

// fleetCommand returns the command fleet. commands are those for one stack.
func fleetCommand(c *invocation.Invocation, commands []*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "fleet",
		GroupID: invocation.ManyStacks,
		Short:   "Run one operation on many stacks, or write many stacks' files",
		Long: `Runs an operation on all stacks of a folder or, with -C repeated or a pattern such as -C 'clusters/*', of several folders. A management
stack runs before the clusters that refer to it, on destroy after them. Several stacks run at once, each in a separate process.

The failure of one stack does not interrupt the others. After the first Ctrl-C no more stacks are started, and those in progress run to
their end. The second Ctrl-C stops them after the operations in progress in AWS, the third one abandons these. --resume continues a run that
was interrupted, killed, or failed in part.

Exit code: 0 if all stacks succeeded; 3 if all others have unexpected changes; 4 if all others are locked; 2 if all others were refused; 130 if the
run was interrupted; otherwise 1.`,
		Example: `  hypershift-aws fleet preview
  hypershift-aws fleet up --select 'prod-*' --waves 1,5,rest`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCommand(c), previewCommand(c, commands), upCommand(c, commands), driftCommand(c),
		destroyCommand(c, commands))
	cmd.AddCommand(verbs(c, commands)...)
	return cmd
}

// run runs the operation on the selected stacks, each in a process of this program.
func (o *fleetOperation) run(cmd *cobra.Command, c *invocation.Invocation) error {
	if err := o.validate(cmd.Flags()); err != nil {
		return err
	}
	if c.Stack != "" {
		return invocation.Refuse("fleet runs on many stacks: use --select %s instead of -s", c.Stack)
	}
	name := string(o.Operation)
	shared := append(c.SharedArgs(), name)
	if o.Operation == gates.Up || o.Operation == gates.Destroy || o.Question != "" {
		if err := c.CanConfirm("fleet " + name); err != nil {
			return err
		}
		shared = append(shared, "--yes")
	}
	for passed := range strings.FieldsSeq(o.passed) {
		flag := cmd.Flags().Lookup(passed)
		if flag == nil || !flag.Changed {
			continue
		}
		values := []string{flag.Value.String()}
		if list, isList := flag.Value.(pflag.SliceValue); isList {
			values = list.GetSlice()
		}
		for _, value := range values {
			shared = append(shared, fmt.Sprintf("--%s=%s", passed, value))
		}
	}
	if o.markdown != "" {
		shared = append(shared, "--markdown")
	}
	executable := c.Streams.Executable
	if executable == "" {
		var err error
		if executable, err = os.Executable(); err != nil {
			return fmt.Errorf("finding this program, which runs each stack: %w", err)
		}
	}
	show := &show{
		c: c, op: name, markdown: o.markdown, digests: map[*fleetrun.Job]pullrequest.Digest{},
		statuses: map[*fleetrun.Job]automation.Status{},
		drifts:   map[*fleetrun.Job][]changes.Difference{}, refusals: map[*fleetrun.Job][]string{},
		costs: map[*fleetrun.Job]forecast.CostChange{},
	}
	o.ProjectOptions, o.Dirs, o.Events = c.ProjectOptions(), c.Dirs, show.present
	o.Decide = func(ctx context.Context, q automation.Question) (bool, error) {
		if o.ready != nil {
			if err := o.ready(show.jobs); err != nil {
				return false, err
			}
		}
		return c.Decide(ctx, q)
	}
	o.Process = &automation.FleetProcess{Executable: executable, Line: show.forward,
		Args: func(job *fleetrun.Job) []string {
			if o.args == nil {
				return shared
			}
			return slices.Concat(shared, o.args(job))
		}}
	result, err := automation.Fleet(cmd.Context(), o.FleetOptions)
	if result == nil || result.Outcomes == nil {
		return err
	}
	if unwritten := show.summary(result); unwritten != nil {
		return unwritten
	}
	if err == nil {
		c.Say("%s", result)
	}
	if failed := (*failure.Error)(nil); errors.As(err, &failed) && o.Operation == gates.Destroy &&
		keepsClusters(cmd, result) {
		failed.Remedy = "`hypershift-aws fleet destroy --hosted-clusters` also deletes the hosted clusters of the stacks"
	}
	if refused := show.refusedStacks(result.Jobs); err == nil && o.expectNoRefusal && len(refused) > 0 {
		return invocation.RefusedPlans(refused...)
	}
	return err
}

// keepsClusters reports whether stacks with hosted clusters were not deleted for lack of --hosted-clusters.
func keepsClusters(cmd *cobra.Command, result *automation.FleetResult) bool {
	return !cmd.Flags().Changed("hosted-clusters") && slices.ContainsFunc(result.Jobs, func(job *fleetrun.Job) bool {
		return job.HostedCluster != "" && result.Outcomes[job].Status == fleetrun.Failed
	})
}

// present shows an event of the run.
func (s *show) present(event automation.Event) {
	switch e := event.(type) {
	case *automation.FleetPlannedEvent:
		s.jobs, s.label, s.progress = e.Jobs, e.Label, fleet.NewProgress(len(e.Jobs), time.Now)
		s.c.SayText(planText(s.op, e.Jobs, e.Limits))
	case *automation.FindingEvent:
		s.c.JSON.Write("finding", e.Finding)
		if e.Finding.Severity == finding.Error && s.op == string(gates.Preview) {
			s.refused = append(s.refused, e.Finding.String())
		}
	case *automation.FleetStackEvent:
		s.c.ShowBlock(s.progress.Rows)
		if e.Outcome.Status == fleetrun.Running {
			s.started(e.Job)
			return
		}
		s.ended(e.Job, e.Outcome)
	case *automation.InterruptEvent:
		s.interrupted(e.Count)
	case *automation.NoteEvent:
		s.note(e.Message)
	default:
		s.c.Present(event)
	}
}

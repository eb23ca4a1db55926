package fleetcmd

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// run runs an operation on the selected stacks, each in a process of this program.
func run(ctx context.Context, c *invocation.Invocation, o options, op stackCommand) error {
	if err := o.validate(); err != nil {
		return err
	}
	if c.Stack != "" {
		return invocation.Refuse("fleet runs on many stacks: use --select %s instead of -s", c.Stack)
	}
	if op.name == "up" || op.name == "destroy" {
		if err := c.CanConfirm("fleet " + op.name); err != nil {
			return err
		}
	}
	executable := c.Streams.Executable
	if executable == "" {
		var err error
		if executable, err = os.Executable(); err != nil {
			return fmt.Errorf("finding this program, which runs each stack: %w", err)
		}
	}
	show := &show{c: c, op: op.name, markdown: op.markdown}
	o.ProjectOptions, o.Dirs, o.Operation, o.SkipQuotas, o.Decide = c.ProjectOptions(), c.Dirs, gate.Operation(op.name), op.skipQuotas, c.Decide
	o.Events = show.present
	o.Process = &automation.FleetProcess{
		Executable: executable, Line: show.forward,
		Args: func(job *fleet.Job) []string { return slices.Concat(c.SharedArgs(), []string{op.name}, op.args(job)) },
	}
	result, err := automation.Fleet(ctx, o.FleetOptions)
	if result == nil || result.Outcomes == nil {
		return err
	}
	if unwritten := show.summary(result); unwritten != nil {
		return unwritten
	}
	if err == nil {
		c.Say("%s", result)
	}
	return err
}

// present shows an event of the run.
func (s *show) present(event automation.Event) {
	switch e := event.(type) {
	case *automation.FleetPlannedEvent:
		s.label, s.progress = e.Label, fleet.NewProgress(len(e.Jobs), time.Now)
		s.c.Say("%s", planText(s.op, e.Jobs, e.Limits))
	case *automation.FindingEvent:
		if s.c.JSON != nil {
			s.c.JSON.Write("finding", e.Finding)
		}
	case *automation.FleetStackEvent:
		s.c.ShowBlock(s.progress.Rows)
		if e.Outcome.Status == fleet.Running {
			s.started(e.Job)
			return
		}
		s.ended(e.Job, e.Outcome)
	case *automation.FleetInterruptEvent:
		s.interrupted(e.Count)
	case *automation.NoteEvent:
		s.note(e.Message)
	default:
		s.c.Present(event)
	}
}

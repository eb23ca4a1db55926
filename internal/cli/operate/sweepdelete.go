package operate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
)

// deleteSwept prompts for confirmation, searches again, and deletes the resources that pass every gate both times.
func deleteSwept(ctx context.Context, c *invocation.Invocation, scope *operation.SweepScope, flags sweepFlags, shown []sweep.Plan) error {
	count := 0
	for _, p := range shown {
		count += len(p.Delete)
	}
	if count == 0 {
		c.Say("nothing to delete")
		return nil
	}
	if !c.Yes {
		question := fmt.Sprintf("This permanently deletes %s. Enter the infra ID: ", report.Number(count, "resource"))
		if flags.Consent {
			question = fmt.Sprintf("Cluster %s may be alive (%s). %s", flags.InfraID, shown[0].Why, question)
		}
		answer, err := c.Ask(question, "")
		if err != nil {
			return err
		}
		if answer != flags.InfraID {
			return &failure.Error{Reason: failure.Failed, Problem: "not confirmed; nothing was changed"}
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-c.Interrupts.First():
			stop()
		case <-ctx.Done():
		}
	}()
	plans, facts, err := sweepPlans(ctx, c, scope, flags)
	if err != nil {
		return err
	}
	if err := recordSweep(scope, flags, plans); err != nil {
		return err
	}
	var errs []error
	for i, p := range plans {
		p.Delete = slices.DeleteFunc(p.Delete, func(l account.Resource) bool {
			return !slices.ContainsFunc(shown[i].Delete, func(was account.Resource) bool { return was.Type == l.Type && was.ID == l.ID })
		})
		run := &sweep.Run{
			Account: scope.Accounts[i], Journal: sweep.NewJournal(scope.Journals, p.Place, flags.InfraID),
			Report: func(e sweep.Entry) { reportSwept(c, p.Place, e) }, Pause: scope.Pause, Now: time.Now,
			By: consent.Who(os.Getenv), Version: consent.Version(),
		}
		result, err := run.Sweep(ctx, facts[i], p)
		c.Say("account %s, %s: %d deleted, %d already gone, %d not deleted because of gates, %d failed; see %s", p.Place.Account, p.Place.Region,
			len(result.Deleted), len(result.Gone), len(p.Held)+len(result.Held), len(result.Failed), run.Journal.Path())
		if errors.Is(err, context.Canceled) {
			return &failure.Error{Reason: failure.Interrupted, Problem: "stopped; what was deleted is in " + run.Journal.Path(),
				Remedy: "run the same command again to continue", Cause: err}
		}
		errs = append(errs, err)
		if len(result.Failed) > 0 {
			errs = append(errs, &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("%s could not be deleted", report.Number(len(result.Failed), "resource")),
				Remedy: "correct the causes in the messages above, and run the same command again"})
		}
	}
	return errors.Join(errs...)
}

// recordSweep keeps the use of a flag that lets a sweep delete what it would otherwise hold.
func recordSweep(scope *operation.SweepScope, flags sweepFlags, plans []sweep.Plan) error {
	use := operation.Use{Flag: gate.GoneFlag}
	switch {
	case flags.Consent:
		use.Flag, use.Value = gate.ConsentFlag, flags.InfraID
	case !flags.ManagementDeleted:
		return nil
	}
	for _, p := range plans {
		use.Evidence = p.Why
		for _, l := range p.Delete {
			use.Resources = append(use.Resources, l.Type+" "+l.ID)
		}
	}
	return scope.RecordUse(use)
}

func reportSwept(c *invocation.Invocation, place account.Place, e sweep.Entry) {
	if c.JSON != nil {
		c.JSON.Write("swept", sweptRow{Action: string(e.Event), Why: e.Why, Account: place.Account, Region: place.Region,
			ResourceType: e.Type, ID: e.ID, Name: e.Name})
	}
	line := fmt.Sprintf("%s %s %s", e.Event, sweepLabel(e.Type), e.ID)
	if e.Why != "" {
		line += ": " + e.Why
	}
	c.Say("%s", line)
}

package automation

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// DestroyOptions say what becomes of what a hosted cluster's operators left behind in AWS. It is deleted by default, but for data.
type DestroyOptions struct {
	// Data includes volumes, snapshots and buckets.
	Data bool
	// KeepLeftovers deletes none of it.
	KeepLeftovers bool
}

// leftoversWithin bounds the search for what a cluster left behind, and its deletion.
const leftoversWithin = 15 * time.Minute

// destroyCluster deletes the stack's hosted cluster alone, so that what its operators leave behind can be deleted while the network and
// the roles are there. It returns nil for a stack without one.
func (s *Stack) destroyCluster(ctx context.Context, options DestroyOptions) (*operation, error) {
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil || options.KeepLeftovers {
		return newOperation("destroy", s.Name, s.session.Report, time.Now), err
	}
	if s.sweeps(options) {
		if err := s.noteBalancers(ctx); err != nil {
			s.noteUnswept(err)
		}
	}
	op, err := s.changePart(ctx, "destroy", nil, func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.Destroy(ctx, optdestroy.Target([]string{cluster.URN}), optdestroy.TargetDependents(), optdestroy.EventStreams(ch),
			optdestroy.SuppressProgress(), optdestroy.SuppressOutputs())
		return err
	})
	if err != nil && op.seen {
		s.session.Report(op.done.Summary)
	}
	return op, err
}

// sweepLeftovers deletes what the operators of the stack's hosted cluster left behind in AWS. The cluster is gone by then, so that nothing
// else will delete it. It says what it took, and what could not be done: the network shows whether that matters.
func (s *Stack) sweepLeftovers(ctx context.Context, options DestroyOptions) {
	if !s.sweeps(options) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leftoversWithin)
	defer cancel()
	go func() {
		select {
		case <-s.session.Interrupts.First():
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := s.sweepOwn(ctx, options); err != nil {
		s.noteUnswept(err)
	}
}

// sweeps is whether a destroy sweeps: not where PULUMI_DEBUG_PROVIDERS attaches an aws provider, whose account is not known.
func (s *Stack) sweeps(options DestroyOptions) bool {
	return !options.KeepLeftovers && (s.session.Offline || !attachesAWS(s.session.Environ.Get("PULUMI_DEBUG_PROVIDERS")))
}

func (s *Stack) noteUnswept(err error) {
	s.session.Report(&report.NoteEvent{Message: "what the hosted cluster left behind in AWS was not all looked for and deleted: " + err.Error()})
}

// sweepOwn sweeps the accounts of the stack for what carries the tag of its cluster, and is in no state.
func (s *Stack) sweepOwn(ctx context.Context, options DestroyOptions) error {
	return s.inSweptAccounts(ctx, func(scope *SweepScope, account orphan.Sweepable) error {
		return s.sweepAccount(ctx, scope, account, options)
	})
}

// noteBalancers notes the names of the cluster's load balancers while it is there: records that are left behind are known by them.
func (s *Stack) noteBalancers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leftoversWithin)
	defer cancel()
	return s.inSweptAccounts(ctx, func(scope *SweepScope, account orphan.Sweepable) error {
		facts, err := sweep.Search(ctx, account, scope.Journals, time.Now())
		if err != nil {
			return err
		}
		journal := sweep.NewJournal(scope.Journals, facts.Place, scope.InfraID)
		for _, l := range facts.Found {
			if l.Host == "" || l.ClusterTag(scope.InfraID) != "owned" || l.Type == awstype.HostedZone {
				continue
			}
			if err := journal.Note(sweep.Entry{Time: time.Now(), Event: sweep.EventSeen, Type: l.Type, ID: l.ID, Name: l.Name(), Host: l.Host}); err != nil {
				return err
			}
		}
		return nil
	})
}

// inSweptAccounts calls do with each account and region that a cluster stack leads to, once. Other stacks have nothing to sweep.
func (s *Stack) inSweptAccounts(ctx context.Context, do func(*SweepScope, orphan.Sweepable) error) error {
	if err := s.currentState(ctx); err != nil {
		return s.classify(err)
	}
	if kind, _ := s.state.Outputs()["kind"].(string); kind != string(config.KindCluster) {
		return nil
	}
	if err := s.attachOffline(); err != nil {
		return err
	}
	scope := &SweepScope{session: s.session, stack: s, file: s.file, Journals: s.session.sweepJournals()}
	settings, err := scope.ofStack(ctx)
	if err != nil {
		return err
	}
	if err := scope.addAccounts(settings); err != nil {
		return err
	}
	seen := map[orphan.Place]bool{}
	for _, account := range scope.Accounts {
		place, err := account.Place(ctx)
		if err != nil {
			return err
		}
		if seen[place] {
			continue
		}
		seen[place] = true
		if err := do(scope, account); err != nil {
			return fmt.Errorf("account %s, %s: %w", place.Account, place.Region, err)
		}
	}
	return nil
}

func (s *Stack) sweepAccount(ctx context.Context, scope *SweepScope, account orphan.Sweepable, options DestroyOptions) error {
	facts, err := sweep.Search(ctx, account, scope.Journals, time.Now())
	if err != nil {
		return err
	}
	var domains []string
	if s.file != nil && s.file.Cluster != nil {
		c := s.file.Cluster
		domains = []string{c.ZoneName(c.BaseDomainPrefix, c.BaseDomain)}
	}
	facts.AddRecords(ctx, account, scope.InfraID, domains...)
	if !s.leftSomething(facts, scope.InfraID) {
		return missingOf(facts)
	}
	if err := scope.complete(ctx, &facts); err != nil {
		return err
	}
	// The cluster was deleted a moment ago, and its instances would run for ever.
	made := sweep.Make(facts, sweep.Options{InfraID: scope.InfraID, Data: options.Data, Running: true})
	for _, held := range made.Held {
		if held.Gate != sweep.GateStack && held.Gate != sweep.GatePart {
			s.noteLeftover("left", held.Leftover, fmt.Sprintf(": %s: %s", held.Gate, held.Why))
		}
	}
	run := sweep.Run{
		Account: account, Journal: sweep.NewJournal(scope.Journals, facts.Place, scope.InfraID), Pause: sweep.Wait, Now: time.Now,
		Report: func(sweep.Entry) {},
	}
	if s.session.Offline {
		run.Pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	result, err := run.Sweep(ctx, facts, made)
	for _, l := range result.Deleted {
		s.noteLeftover("deleted", l, ", which the hosted cluster left behind")
	}
	for _, failed := range result.Failed {
		s.noteLeftover("could not delete", failed.Leftover, ": "+failed.Err.Error())
	}
	if err == nil && s.session.Interrupts.Count() > 0 {
		err = engine.ErrInterrupted
	}
	if err == nil {
		err = missingOf(facts)
	}
	return err
}

// leftSomething is whether an account has something of the cluster that is not in the stack's own state.
func (s *Stack) leftSomething(f sweep.Facts, infraID string) bool {
	own := map[string]bool{}
	for _, r := range s.state.Resources {
		own[string(r.ID)] = true
		arn, _ := r.Outputs["arn"].(string)
		own[arn] = true
	}
	for _, l := range f.Found {
		if l.Carries(infraID) && !own[l.ID] && !own[l.ARN] && l.Kept == "" {
			return true
		}
	}
	return false
}

// missingOf is the error of what could not be listed, nil where nothing is missing.
func missingOf(f sweep.Facts) error {
	for _, m := range f.Missing {
		return fmt.Errorf("the list is incomplete: %w", m.Err)
	}
	return nil
}

// noteLeftover tells of one resource.
func (s *Stack) noteLeftover(verb string, l orphan.Leftover, rest string) {
	name := l.Name()
	if name != "" && name != l.ID {
		name = " (" + name + ")"
	} else {
		name = ""
	}
	s.session.Report(&report.NoteEvent{Message: fmt.Sprintf("%s %s %s%s%s", verb, sweep.Label(l.Type), l.ID, name, rest)})
}

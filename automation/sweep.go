package automation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

type (
	// SweepPlan is what a sweep of one cluster would delete in one account and region, and what gates hold.
	SweepPlan = inventory.SweepPlan
	// SweepEntry is the result for one resource: deleted, gone, held, or failed.
	SweepEntry = inventory.SweepEntry
)

// SweepOptions configure Sweep.
type SweepOptions struct {
	// SweepOptions select the resources. InfraID is the cluster's whole infra ID; default: the stack's.
	inventory.SweepOptions
	// All lists every cluster with tagged resources, and deletes nothing.
	All bool
	// Delete deletes the resources that pass every gate.
	Delete bool
	// Decide is asked for the infra ID before anything is deleted.
	Decide Decide
	// UnderLivingCluster is the infra ID of a cluster whose resources are deleted although it may be alive. Each use is kept in the journal of
	// consents.
	UnderLivingCluster string
	// Region and Profile select the account for a Stack without a name. Default: the environment's.
	Region, Profile string
	// Kubeconfig is a management cluster that is asked too; its File is "" for none.
	Kubeconfig config.Kubeconfig
}

// SweepResult is what a sweep found and did.
type SweepResult struct {
	// Plans are what would be deleted of each cluster in each account and region.
	Plans []SweepPlan
	// Ignored are tags whose text is not an infra ID, if every cluster is listed.
	Ignored []IgnoredTag
	// Time is when AWS was searched.
	Time time.Time
	// Deleted are the results for the plans, in their order; none if nothing was deleted.
	Deleted []inventory.Swept
}

// IgnoredTag is a cluster's tag whose text is not an infra ID.
type IgnoredTag struct {
	Place inventory.Place
	Text  string
	// Resources are how many resources have the tag.
	Resources int
}

// SweepPlannedEvent is what a sweep would delete, before it is decided on.
type SweepPlannedEvent struct {
	event.Marker

	*SweepResult
}

// SweptEvent is the result of a sweep for one resource.
type SweptEvent struct {
	event.Marker

	Place inventory.Place
	Entry SweepEntry
}

// validate refuses options that cannot be combined.
func (o *SweepOptions) validate(stack string) error {
	switch {
	case o.All && o.InfraID != "":
		return refuse("--all and --infra-id are mutually exclusive: use one of them")
	case o.All && o.Delete:
		return refuse("--delete requires one cluster: use -s or --infra-id instead of --all")
	case !o.All && o.InfraID == "" && stack == "":
		return refuse("sweep has no default stack: set the cluster with -s or --infra-id, or list all with --all")
	case o.InfraID != "" && !hypershift.IsInfraID(o.InfraID):
		return refuse("--infra-id %s is not an infra ID: use the whole ID, in lower case, such as demo-x7k2p", o.InfraID)
	case stack != "" && (o.Region != "" || o.Profile != ""):
		return refuse("-s uses the stack's accounts: leave --region and --profile out, or use --infra-id instead of -s")
	case o.UnderLivingCluster != "" && o.All:
		return refuse("%s is for one cluster: use -s or --infra-id instead of --all", gate.ConsentFlag)
	case o.UnderLivingCluster != "" && o.InfraID != "" && o.UnderLivingCluster != o.InfraID:
		return refuse("%s is %s, but --infra-id is %s", gate.ConsentFlag, o.UnderLivingCluster, o.InfraID)
	case o.Running && stack == "" && o.UnderLivingCluster == "":
		return refuse("--running requires -s or %s: running instances may belong to an active cluster that is in no stack here", gate.ConsentFlag)
	case o.MinAge < 0:
		return refuse("--min-age %s is negative: use at least zero", o.MinAge)
	}
	return nil
}

// Sweep lists what the operators of a cluster, or a deleted installation, left in AWS, and with Delete deletes what passes every gate, before the
// decision and again immediately before its deletion. A Stack without a name searches the account of the options. It returns an error if a list is
// incomplete, or if resources could not be deleted.
func (s *Stack) Sweep(ctx context.Context, o SweepOptions) (*SweepResult, error) {
	if err := o.validate(s.Name); err != nil {
		return nil, err
	}
	var kubeconfigs []config.Kubeconfig
	if o.Kubeconfig.File != "" {
		kubeconfigs = append(kubeconfigs, o.Kubeconfig)
	}
	var file *config.File
	unread := error(nil)
	if s.Name != "" {
		file, unread = s.project.project.LoadStack(s.Name)
	}
	ctx, r, err := s.start(ctx, gates.Sweep)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if unread != nil && fault.In(unread) == nil {
		r.say("stack %s has no file: using the accounts in its state", s.Name)
	}
	scope, err := run.OpenSweep(ctx, &r.session, s.Name, file, Access{Profile: o.Profile}.Settings(o.Region), kubeconfigs)
	if err != nil {
		return nil, err
	}
	defer scope.Close()
	if s.Name != "" && !o.All {
		if o.InfraID != "" && o.InfraID != scope.InfraID {
			return nil, refuse("--infra-id is %s, but the infra ID of stack %s is %s", o.InfraID, s.Name, scope.InfraID)
		}
		o.InfraID = scope.InfraID
		if o.UnderLivingCluster != "" && o.UnderLivingCluster != o.InfraID {
			return nil, refuse("%s is %s, but the cluster of stack %s is %s", gate.ConsentFlag, o.UnderLivingCluster, s.Name, o.InfraID)
		}
	}
	if busy := scope.Busy(); o.Delete && busy != "" {
		return nil, &failure.Error{Reason: failure.Conflict, Problem: fmt.Sprintf("stack %s is in use: %s", s.Name, busy), Remedy: "wait for it to end"}
	}
	found, err := o.plan(ctx, scope)
	if err != nil {
		return nil, err
	}
	result, err := r.sweepResult(o, found)
	if err != nil {
		return nil, err
	}
	r.event(&SweepPlannedEvent{SweepResult: result})
	if o.Delete {
		err = r.sweep(ctx, scope, o, found, result)
	}
	return result, errors.Join(err, incomplete(scope, found.facts))
}

// searched is what a search for leftovers found in each account and region, and the plans for each cluster.
type searched struct {
	facts []sweep.Facts
	plans []sweep.Plan
}

// sweepResult returns what a search found, before anything is deleted.
func (r *operation) sweepResult(o SweepOptions, found *searched) (*SweepResult, error) {
	result := &SweepResult{}
	for _, f := range found.facts {
		result.Time = f.Now
	}
	for _, p := range found.plans {
		result.Plans = append(result.Plans, p.SweepPlan)
	}
	if !o.All {
		return result, nil
	}
	prices, err := r.of.project.prices()
	if err != nil {
		return nil, err
	}
	for _, f := range found.facts {
		for i, p := range result.Plans {
			if p.Place == f.Place {
				result.Plans[i].MonthlyUSD = prices.Estimate(f.Priced(p.Options.InfraID)).Monthly
			}
		}
		for _, text := range f.Ignored() {
			tagged := IgnoredTag{Place: f.Place, Text: text}
			for _, l := range f.Found {
				if account.Carries(l, text) {
					tagged.Resources++
				}
			}
			result.Ignored = append(result.Ignored, tagged)
		}
	}
	return result, nil
}

// plan searches each account, and plans for the cluster or for each.
func (o SweepOptions) plan(ctx context.Context, scope *run.SweepScope) (*searched, error) {
	found := &searched{}
	for _, account := range scope.Accounts {
		facts, err := scope.Facts(ctx, account)
		if err != nil {
			return nil, err
		}
		found.facts = append(found.facts, facts)
	}
	if !o.All {
		scope.InfraID = o.InfraID
		scope.AddRecords(ctx, found.facts)
	}
	options := sweep.Options{SweepOptions: o.SweepOptions, Gates: scope.Gates(), Consent: o.UnderLivingCluster != ""}
	for _, facts := range found.facts {
		infraIDs := []string{o.InfraID}
		if o.All {
			infraIDs = facts.Clusters()
		}
		for _, options.InfraID = range infraIDs {
			found.plans = append(found.plans, sweep.NewPlan(facts, options))
		}
	}
	return found, nil
}

// incomplete returns the error of an incomplete list, or nil if nothing is missing.
func incomplete(scope *run.SweepScope, all []sweep.Facts) error {
	var problems []string
	for _, err := range scope.Unusable {
		problems = append(problems, err.Error())
	}
	for _, f := range all {
		for _, m := range f.Missing {
			problems = append(problems, fmt.Sprintf("account %s, %s: %v", f.Place.Account, f.Place.Region, m.Err))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &failure.Error{Reason: failure.Failed, Problem: "the list is incomplete:\n  " + strings.Join(problems, "\n  "),
		Remedy: "`hypershift-aws permissions --sweep` prints what a sweep needs"}
}

// sweep asks for the decision, searches again, and deletes the resources that pass every gate both times.
func (r *operation) sweep(ctx context.Context, scope *run.SweepScope, o SweepOptions, found *searched, result *SweepResult) error {
	shown := found.plans
	count := 0
	for _, p := range shown {
		count += len(p.Delete)
	}
	if count == 0 {
		r.say("nothing to delete")
		return nil
	}
	question := fmt.Sprintf("This permanently deletes %s. Enter the infra ID: ", report.Number(count, "resource"))
	if o.UnderLivingCluster != "" {
		question = report.Sentence("Cluster %s may be alive (%s). %s", o.InfraID, shown[0].Why, question)
	}
	if err := o.Decide.ask(ctx, Question{Operation: r.operation, Stack: r.of.Name, Text: question, Name: o.InfraID}); err != nil {
		return err
	}
	ctx, stop := r.of.interrupts.Context(ctx)
	defer stop()
	again, err := o.plan(ctx, scope)
	if err != nil {
		return err
	}
	if err := record(scope, o, again.plans); err != nil {
		return err
	}
	var errs []error
	for i, p := range again.plans {
		p.Delete = slices.DeleteFunc(p.Delete, func(l inventory.Resource) bool {
			return !slices.ContainsFunc(shown[i].Delete, func(was inventory.Resource) bool { return was.Type == l.Type && was.ID == l.ID })
		})
		one := &sweep.Run{
			Account: scope.Accounts[i], Journal: sweep.NewJournal(scope.Journals, p.Place, o.InfraID),
			Report: func(e inventory.SweepEntry) { r.event(&SweptEvent{Place: p.Place, Entry: e}) }, Pause: scope.Pause, Now: time.Now,
			By: consent.Who(os.Getenv), Version: stacks.Version,
		}
		done, err := one.Sweep(ctx, again.facts[i], p)
		result.Deleted = append(result.Deleted, done)
		r.say("account %s, %s: %d deleted, %d already gone, %d not deleted because of gates, %d failed; see %s", p.Place.Account, p.Place.Region,
			len(done.Deleted), len(done.Gone), len(p.Held)+len(done.Held), len(done.Failed), one.Journal.Path())
		if errors.Is(err, context.Canceled) {
			return &failure.Error{Reason: failure.Interrupted, Problem: "stopped; what was deleted is in " + one.Journal.Path(),
				Remedy: "run the same command again to continue", Cause: err}
		}
		errs = append(errs, err)
		if len(done.Failed) > 0 {
			errs = append(errs, &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("%s could not be deleted", report.Number(len(done.Failed), "resource")),
				Remedy: "correct the causes in the messages above, and run the same command again"})
		}
	}
	return errors.Join(errs...)
}

// record keeps the use of an option that lets a sweep delete what it would otherwise hold.
func record(scope *run.SweepScope, o SweepOptions, plans []sweep.Plan) error {
	use := workspace.Use{Flag: gate.GoneFlag}
	switch {
	case o.UnderLivingCluster != "":
		use.Flag, use.Value = gate.ConsentFlag, o.InfraID
	case !o.ManagementDeleted:
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

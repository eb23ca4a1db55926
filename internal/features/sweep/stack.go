package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// StackOptions configure Stack.
type StackOptions struct {
	// SweepOptions select the resources. InfraID is the cluster's whole infra ID; default: the stack's.
	inventory.SweepOptions
	// All lists every cluster with tagged resources, and deletes nothing.
	All bool
	// Delete deletes the resources that pass every gate.
	Delete bool
	// Decide is asked for the infra ID before anything is deleted.
	Decide operation.Decide
	// UnderLivingCluster is the infra ID of a cluster whose resources are deleted although it may be alive. Each use is
	// kept in the journal of consents.
	UnderLivingCluster string
	// Region and Profile select the account for a Stack without a name. Default: the environment's.
	Region, Profile string
	// Kubeconfig is a management cluster that is asked too; its File is "" for none.
	Kubeconfig config.Kubeconfig
	// Prices returns the prices by which a list of every cluster has its monthly cost.
	Prices func() (price.Table, error)
}

// lists reports whether the sweep lists the resources of a cluster that it does not name: that of the folder's only
// stack. A deletion names its cluster.
func (o *StackOptions) lists() bool {
	return !o.All && !o.Delete && o.InfraID == "" && o.Region == "" && o.Profile == ""
}

// validate refuses options that cannot be combined.
func (o *StackOptions) validate(stack string) error {
	switch {
	case o.All && o.InfraID != "":
		return gate.Refuse("--all and --infra-id are mutually exclusive: use one of them")
	case o.All && o.Delete:
		return gate.Refuse("--delete requires one cluster: use -s or --infra-id instead of --all")
	case !o.All && o.InfraID == "" && stack == "":
		return gate.Refuse("sweep needs a cluster: use -s or --infra-id, or list all with --all")
	case o.InfraID != "" && !hypershift.IsInfraID(o.InfraID):
		return gate.Refuse("--infra-id %s is not an infra ID: use the whole ID, in lower case, such as demo-x7k2p", o.InfraID)
	case stack != "" && (o.Region != "" || o.Profile != ""):
		return gate.Refuse("-s uses the stack's accounts: leave --region and --profile out, or use --infra-id instead of -s")
	case o.UnderLivingCluster != "" && o.All:
		return gate.Refuse("%s is for one cluster: use -s or --infra-id instead of --all", gate.ConsentFlag)
	case o.UnderLivingCluster != "" && o.InfraID != "" && o.UnderLivingCluster != o.InfraID:
		return gate.Refuse("%s is %s, but --infra-id is %s", gate.ConsentFlag, o.UnderLivingCluster, o.InfraID)
	case o.Running && stack == "" && o.UnderLivingCluster == "":
		return gate.Refuse("--running requires -s or %s: running instances may belong to an active cluster that is in no stack here", gate.ConsentFlag)
	case o.MinAge < 0:
		return gate.Refuse("--min-age %s is negative: use at least zero", o.MinAge)
	}
	return nil
}

// Stack sweeps what the operators of a stack's cluster left: see automation.Stack.Sweep.
func Stack(ctx context.Context, s *run.Stack, o StackOptions) (*inventory.SweepResult, error) {
	if s.Name == "" && o.lists() {
		s.Name, _ = s.Project.SelectStack("") // otherwise validate says what to set
	}
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
		file, unread = s.Project.LoadStack(s.Name)
	}
	ctx, r, err := s.Start(ctx, gates.Sweep)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if unread != nil && fault.In(unread) == nil {
		r.Say("stack %s has no file: using the accounts in its state", s.Name)
	}
	settings := takeover.Credentials{Profile: o.Profile}.Settings(o.Region)
	if o.All && o.Profile == "" && o.Region == "" {
		settings = nil
	}
	scope, err := OpenScope(ctx, &r.Session, s.Name, file, settings, kubeconfigs)
	if err != nil {
		return nil, err
	}
	defer scope.Close()
	if s.Name != "" && !o.All {
		if o.InfraID != "" && o.InfraID != scope.InfraID {
			return nil, gate.Refuse("--infra-id is %s, but the infra ID of stack %s is %s", o.InfraID, s.Name, scope.InfraID)
		}
		o.InfraID = scope.InfraID
		if o.UnderLivingCluster != "" && o.UnderLivingCluster != o.InfraID {
			return nil, gate.Refuse("%s is %s, but the cluster of stack %s is %s", gate.ConsentFlag, o.UnderLivingCluster,
				s.Name, o.InfraID)
		}
	}
	if busy := scope.Busy(); o.Delete && busy != "" {
		return nil, &failure.Error{
			Reason:  failure.Conflict,
			Problem: fmt.Sprintf("stack %s is in use: %s", s.Name, busy),
			Remedy:  "wait for it to end",
		}
	}
	found, err := o.search(ctx, scope)
	if err != nil {
		return nil, err
	}
	result, err := o.result(found)
	if err != nil {
		return nil, err
	}
	r.Event(&operation.SweepPlanned{SweepResult: result})
	if o.Delete {
		err = o.sweep(ctx, s, r, scope, found, result)
	}
	return result, errors.Join(err, incomplete(scope, found.facts))
}

// searched is what a search for leftovers found in each account and region, and the plans for each cluster.
type searched struct {
	facts []Facts
	plans []Plan
}

// result returns what a search found, before anything is deleted.
func (o StackOptions) result(found *searched) (*inventory.SweepResult, error) {
	result := &inventory.SweepResult{}
	for _, f := range found.facts {
		result.Time = f.Now
		result.Searched = append(result.Searched, inventory.Searched{Place: f.Place, Complete: len(f.Missing) == 0})
	}
	for _, p := range found.plans {
		result.Plans = append(result.Plans, p.SweepPlan)
	}
	if !o.All {
		return result, nil
	}
	prices, err := o.Prices()
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
			tagged := inventory.IgnoredTag{Place: f.Place, Text: text}
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

// search searches each account, and plans for the cluster or for each.
func (o StackOptions) search(ctx context.Context, scope *StackScope) (*searched, error) {
	found := &searched{}
	scope.AskLong = o.ManagementDeleted
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
	options := Options{SweepOptions: o.SweepOptions, Gates: scope.Gates(), Consent: o.UnderLivingCluster != ""}
	for _, facts := range found.facts {
		infraIDs := []string{o.InfraID}
		if o.All {
			infraIDs = facts.Clusters()
		}
		for _, options.InfraID = range infraIDs {
			found.plans = append(found.plans, NewPlan(facts, options))
		}
	}
	return found, nil
}

// incomplete returns the error of an incomplete list, or nil if nothing is missing.
func incomplete(scope *StackScope, all []Facts) error {
	var problems []string
	remedy := "correct the stacks whose accounts could not be searched, and run the command again"
	for _, err := range scope.Unusable {
		problems = append(problems, err.Error())
	}
	for _, f := range all {
		for _, m := range f.Missing {
			remedy = "`hypershift-aws permissions --sweep` prints what a sweep needs"
			problems = append(problems, fmt.Sprintf("account %s, %s: %v", f.Place.Account, f.Place.Region, m.Err))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &failure.Error{Reason: failure.Failed, Problem: "the list is incomplete:\n  " + strings.Join(problems, "\n  "),
		Remedy: remedy}
}

// sweep asks for the decision, searches again, and deletes the resources that pass every gate both times.
func (o StackOptions) sweep(
	ctx context.Context,
	s *run.Stack,
	r *run.Operation,
	scope *StackScope,
	found *searched,
	result *inventory.SweepResult,
) error {
	shown := found.plans
	count := 0
	for _, p := range shown {
		count += len(p.Delete)
	}
	if count == 0 {
		r.Say("nothing to delete")
		return nil
	}
	question := fmt.Sprintf("This permanently deletes %s. Enter the infra ID: ", report.Number(count, "resource"))
	if o.UnderLivingCluster != "" {
		question = report.Sentence("Cluster %s may be alive (%s). %s", o.InfraID, shown[0].Why, question)
	}
	if err := run.Ask(ctx, o.Decide, operation.Question{
		Operation: r.Verb,
		Stack:     s.Name,
		Text:      question,
		Name:      o.InfraID,
	}); err != nil {
		return err
	}
	ctx, stop := r.Session.Interrupts.Context(ctx)
	defer stop()
	again, err := o.search(ctx, scope)
	if err != nil {
		return err
	}
	if err := record(scope, o, again.plans); err != nil {
		return err
	}
	var errs []error
	for i, p := range again.plans {
		p.Delete = slices.DeleteFunc(p.Delete, func(l inventory.Resource) bool {
			return !slices.ContainsFunc(shown[i].Delete, func(was inventory.Resource) bool {
				return was.Type == l.Type && was.ID == l.ID
			})
		})
		one := &Run{
			Account: scope.Accounts[i], Journal: NewJournal(scope.Journals, p.Place, o.InfraID),
			Report: func(e inventory.SweepEntry) { r.Event(&operation.Swept{Place: p.Place, Entry: e}) }, Pause: scope.Pause,
			Now: time.Now,
			By:  consent.Who(os.Getenv), Version: stacks.Version,
		}
		done, err := one.Sweep(ctx, again.facts[i], p)
		result.Deleted = append(result.Deleted, done)
		r.Say("account %s, %s: %d deleted, %d already gone, %d not deleted because of gates, %d failed; see %s", p.Place.Account, p.Place.Region,
			len(done.Deleted), len(done.Gone), len(p.Kept)+len(done.Kept), len(done.Failed), one.Journal.Path())
		if errors.Is(err, context.Canceled) {
			return &failure.Error{Reason: failure.Interrupted, Problem: "stopped; what was deleted is in " + one.Journal.Path(),
				Remedy: "run the same command again to continue", Cause: err}
		}
		errs = append(errs, err)
		if len(done.Failed) > 0 {
			errs = append(errs, &failure.Error{Reason: failure.Failed,
				Problem: fmt.Sprintf("%s could not be deleted", report.Number(len(done.Failed), "resource")),
				Remedy:  "correct the causes in the messages above, and run the same command again"})
		}
	}
	return errors.Join(errs...)
}

// record keeps the use of an option that lets a sweep delete what it would otherwise hold.
func record(scope *StackScope, o StackOptions, plans []Plan) error {
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
	return scope.AddUse(use)
}

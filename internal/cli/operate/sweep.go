package operate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// sweepFlags are the flags of sweep.
type sweepFlags struct {
	sweep.Options
	all, delete                           bool
	region, profile, kubeconfig, kcontext string
	keep                                  []string
}

func sweepCommand(c *invocation.Invocation) *cobra.Command {
	var flags sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "List, and delete when told to, what a hosted cluster left behind in AWS",
		Long: `Lists what the operators of a hosted cluster, or an installation that is gone, left behind in AWS: everything with the tag
kubernetes.io/cluster/<infra ID>=owned, and the record of the ingress in a public zone. With --delete it deletes what passes every
gate, each resource described again right before; what a gate holds back is listed with the gate's name. docs/sweep.md has the gates.

The cluster is that of the stack (-s) or of --infra-id; --all lists every cluster whose tag is in the account and region. With -s the
accounts are those that the stack's file and state lead to, else that of --profile and --region, or of the environment.

--delete asks for the infra ID; without a terminal use --yes and --infra-id. A deletion that was killed is run again: it goes on.
The exit code is 1 where something could not be listed or deleted.`,
		Args: invocation.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSweep(cmd.Context(), c, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.InfraID, "infra-id", "", "the cluster's infra `ID`, whole")
	f.BoolVar(&flags.all, "all", false, "list every cluster whose tag is in the account and region")
	f.BoolVar(&flags.delete, "delete", false, "delete what passes every gate")
	f.BoolVar(&flags.Data, "data", false, "include volumes, snapshots and buckets with all that is in them")
	f.BoolVar(&flags.Running, "running", false, "with -s: include running instances")
	f.BoolVar(&flags.Global, "global", false, "include IAM and Route 53 where nothing else of the cluster is in the region")
	f.BoolVar(&flags.ManagementGone, "management-cluster-gone", false, "the cluster's management cluster is gone for good: do not ask it")
	f.DurationVar(&flags.MinAge, "min-age", 24*time.Hour, "how old everything must be, a `duration` such as 90m")
	f.StringArrayVar(&flags.keep, "keep", nil, "keep what has the tag `key=value`, or key with any value; repeatable")
	f.StringVar(&flags.region, "region", "", "without -s: the `region` (default: the environment's)")
	f.StringVar(&flags.profile, "profile", "", "without -s: the `profile` of the credentials (default: the environment's)")
	f.StringVar(&flags.kubeconfig, "kubeconfig", "", "the kubeconfig `file` of a management cluster to ask, beside those of the stacks' files")
	f.StringVar(&flags.kcontext, "context", "", "the `context` in --kubeconfig (default: its current one)")
	c.AddPrices(cmd)
	return cmd
}

var infraIDPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// validate refuses flags that cannot work together.
func (f *sweepFlags) validate(stack string, yes, asks bool) error {
	switch {
	case f.all && f.InfraID != "":
		return invocation.Refuse("--all lists all clusters and --infra-id is one: leave one of them out")
	case f.all && f.delete:
		return invocation.Refuse("--delete takes one cluster: use -s or --infra-id instead of --all")
	case !f.all && f.InfraID == "" && stack == "":
		return invocation.Refuse("name the cluster with -s or --infra-id, or list all with --all")
	case f.InfraID != "" && !infraIDPattern.MatchString(f.InfraID):
		return invocation.Refuse("--infra-id %s is no infra ID: use the whole of it, in lower case, such as demo-x7k2p", f.InfraID)
	case stack != "" && (f.region != "" || f.profile != ""):
		return invocation.Refuse("-s takes the accounts from the stack: leave --region and --profile out, or use --infra-id instead of -s")
	case f.Running && stack == "":
		return invocation.Refuse("--running takes -s: instances that run may be those of a living cluster that no stack here knows")
	case f.kcontext != "" && f.kubeconfig == "":
		return invocation.Refuse("--context is one of --kubeconfig: use --kubeconfig too")
	case f.MinAge < 0:
		return invocation.Refuse("--min-age %s is negative: use 0s or more", f.MinAge)
	case f.delete && !yes && !asks:
		return invocation.Refuse("sweep --delete asks for the infra ID, and there is no terminal to ask on: use --yes and --infra-id")
	case f.delete && yes && f.InfraID == "":
		return invocation.Refuse("sweep --delete --yes does not say which cluster: use --infra-id")
	}
	f.Keep = map[string]string{}
	for _, tag := range f.keep {
		key, value, _ := strings.Cut(tag, "=")
		if key == "" {
			return invocation.Refuse("--keep %s names no tag: use key=value", tag)
		}
		f.Keep[key] = value
	}
	return nil
}

func runSweep(ctx context.Context, c *invocation.Invocation, flags sweepFlags) error {
	if err := flags.validate(c.Stack, c.Yes, c.Streams.Asks); err != nil {
		return err
	}
	project, err := c.Project()
	if err != nil {
		return err
	}
	where := automation.SweepOptions{Stack: c.Stack, Region: flags.region, Profile: flags.profile}
	if flags.kubeconfig != "" {
		where.Kubeconfigs = []config.Kubeconfig{{File: flags.kubeconfig, Context: flags.kcontext}}
	}
	if c.Stack != "" {
		if where.File, err = c.LoadFile(project, c.Stack, true); err != nil && where.File == nil {
			c.Say("stack %s has no file: its state says where to look", c.Stack)
		}
	}
	session, err := c.Session(ctx, project)
	if err != nil {
		return err
	}
	scope, err := session.OpenSweep(ctx, where)
	if err != nil {
		return err
	}
	defer scope.Close()
	if c.Stack != "" && !flags.all {
		if flags.InfraID != "" && flags.InfraID != scope.InfraID {
			return invocation.Refuse("--infra-id %s is not the cluster of stack %s: that is %s", flags.InfraID, c.Stack, scope.InfraID)
		}
		flags.InfraID = scope.InfraID
	}
	if busy := scope.Busy(); flags.delete && busy != "" {
		return &failure.Error{Reason: failure.Conflict, Problem: fmt.Sprintf("stack %s is being worked on: %s", c.Stack, busy), Remedy: "wait for it to end"}
	}
	plans, facts, err := sweepPlans(ctx, c, scope, flags)
	if err != nil {
		return err
	}
	if flags.all {
		return errors.Join(showClusters(c, facts, plans), incomplete(facts))
	}
	for i := range plans {
		if err := showSweep(c, facts[i], plans[i]); err != nil {
			return err
		}
	}
	if !flags.delete {
		return incomplete(facts)
	}
	return errors.Join(deleteSwept(ctx, c, scope, flags, plans), incomplete(facts))
}

// sweepPlans searches each account once, and plans for the cluster or, under --all, for each. Two settings may lead to one account
// and region: it counts once.
func sweepPlans(ctx context.Context, c *invocation.Invocation, scope *automation.SweepScope, flags sweepFlags) ([]sweep.Plan, []sweep.Facts, error) {
	var plans []sweep.Plan
	var all []sweep.Facts
	var kept []orphan.Sweepable
	seen := map[orphan.Place]bool{}
	for _, account := range scope.Accounts {
		place, err := account.Place(ctx)
		if err != nil {
			return nil, nil, err
		}
		if seen[place] {
			continue
		}
		seen[place] = true
		facts, err := scope.Facts(ctx, account)
		if err != nil {
			return nil, nil, err
		}
		kept = append(kept, account)
		all = append(all, facts)
	}
	scope.Accounts = kept
	if !flags.all {
		scope.InfraID = flags.InfraID
		scope.AddRecords(ctx, all)
	}
	for _, facts := range all {
		infraIDs := []string{flags.InfraID}
		if flags.all {
			infraIDs = facts.Clusters()
		}
		for _, infraID := range infraIDs {
			options := flags.Options
			options.InfraID = infraID
			plans = append(plans, sweep.Make(facts, options))
		}
	}
	return plans, all, nil
}

// incomplete is the error of a list that lacks something, nil where nothing is missing.
func incomplete(all []sweep.Facts) error {
	var problems []string
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

package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// sweepFlags are the flags of sweep.
type sweepFlags struct {
	sweep.Options
	all, delete                           bool
	region, profile, kubeconfig, kcontext string
	// consent is the infra ID of a cluster that is not known to be gone.
	consent string
	keep    []string
}

func sweepCommand(c *invocation.Invocation) *cobra.Command {
	var flags sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "List, and optionally delete, what a hosted cluster left in AWS",
		Long: `Lists what the operators of a hosted cluster, or a deleted installation, left in AWS: all resources with the tag
kubernetes.io/cluster/<infra ID>=owned, and the record of the ingress in a public zone. With --delete it deletes the resources that pass
every gate, and reads each one again immediately before. Resources that a gate refuses are listed with the gate's name; docs/sweep.md
describes the gates.

The cluster is that of the stack (-s) or of --infra-id; --all lists every cluster with tagged resources in the account and region. With -s
the accounts are those of the stack's file and state, otherwise that of --profile and --region, or of the environment.

A cluster that no management cluster has may belong to one that is not configured here. If nothing shows that it ever was in one of them,
or if it has instances that are not terminated, it is not deleted without ` + gate.ConsentFlag + `, which takes the infra ID.

--delete prompts for the infra ID; without a terminal use --yes and --infra-id. After an interruption, run the command again to continue.
The exit code is 1 if a type could not be listed or a resource could not be deleted.`,
		Example: `  hypershift-aws sweep --all --region us-east-1
  hypershift-aws sweep -s dev
  hypershift-aws sweep --infra-id demo-x7k2p --region us-east-1 --delete`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSweep(cmd.Context(), c, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.InfraID, "infra-id", "", "the cluster's whole infra `ID`")
	f.BoolVar(&flags.all, "all", false, "list every cluster with tagged resources in the account and region")
	f.BoolVar(&flags.delete, "delete", false, "delete the resources that pass every gate")
	f.BoolVar(&flags.Data, "data", false, "include volumes, snapshots and buckets with their contents")
	f.BoolVar(&flags.Running, "running", false, "with -s or "+gate.ConsentFlag+": include running instances")
	f.StringVar(&flags.consent, strings.TrimPrefix(gate.ConsentFlag, "--"), "", "delete cluster `ID` although it may be alive")
	f.BoolVar(&flags.Global, "global", false, "include IAM and Route 53 if nothing else of the cluster is in the region")
	f.BoolVar(&flags.ManagementDeleted, "management-cluster-gone", false, "the cluster's management cluster no longer exists: do not query it")
	f.DurationVar(&flags.MinAge, "min-age", 24*time.Hour, "the minimum age of all resources, a `duration` such as 90m")
	f.StringArrayVar(&flags.keep, "keep", nil, "keep resources with the tag `key=value`, or key with any value; repeatable")
	f.StringVar(&flags.region, "region", "", "without -s: the `region` (default: the environment's)")
	f.StringVar(&flags.profile, "profile", "", "without -s: the `profile` of the credentials (default: the environment's)")
	f.StringVar(&flags.kubeconfig, "kubeconfig", "", "the kubeconfig `file` of a management cluster to query, in addition to those of the stacks' files")
	f.StringVar(&flags.kcontext, "context", "", "the `context` in --kubeconfig (default: its current one)")
	c.AddPrices(cmd)
	invocation.CompleteRegion(cmd, "region")
	return cmd
}

// validate refuses flags that cannot be combined.
func (f *sweepFlags) validate(stack string, yes, asks bool) error {
	switch {
	case f.all && f.InfraID != "":
		return invocation.Refuse("--all and --infra-id are mutually exclusive: use one of them")
	case f.all && f.delete:
		return invocation.Refuse("--delete requires one cluster: use -s or --infra-id instead of --all")
	case !f.all && f.InfraID == "" && stack == "":
		return invocation.Refuse("set the cluster with -s or --infra-id, or list all with --all")
	case f.InfraID != "" && !hypershift.IsInfraID(f.InfraID):
		return invocation.Refuse("--infra-id %s is not an infra ID: use the whole ID, in lower case, such as demo-x7k2p", f.InfraID)
	case stack != "" && (f.region != "" || f.profile != ""):
		return invocation.Refuse("-s uses the stack's accounts: leave --region and --profile out, or use --infra-id instead of -s")
	case f.consent != "" && f.all:
		return invocation.Refuse("%s is for one cluster: use -s or --infra-id instead of --all", gate.ConsentFlag)
	case f.consent != "" && f.InfraID != "" && f.consent != f.InfraID:
		return invocation.Refuse("%s %s is not the cluster of --infra-id: that is %s", gate.ConsentFlag, f.consent, f.InfraID)
	case f.Running && stack == "" && f.consent == "":
		return invocation.Refuse("--running requires -s or %s: running instances may belong to an active cluster that is in no stack here", gate.ConsentFlag)
	case f.kcontext != "" && f.kubeconfig == "":
		return invocation.Refuse("--context requires --kubeconfig")
	case f.MinAge < 0:
		return invocation.Refuse("--min-age %s is negative: use 0s or more", f.MinAge)
	case f.delete && !yes && !asks:
		return invocation.Refuse("sweep --delete prompts for the infra ID, and there is no terminal: use --yes and --infra-id")
	case f.delete && yes && f.InfraID == "":
		return invocation.Refuse("sweep --delete --yes requires --infra-id")
	}
	f.Consent = f.consent != ""
	f.Keep = map[string]string{}
	for _, tag := range f.keep {
		key, value, _ := strings.Cut(tag, "=")
		if key == "" {
			return invocation.Refuse("--keep %s is not a tag: use key=value", tag)
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
	where := operation.SweepOptions{Stack: c.Stack, Region: flags.region, Profile: flags.profile}
	if flags.kubeconfig != "" {
		where.Kubeconfigs = []config.Kubeconfig{{File: flags.kubeconfig, Context: flags.kcontext}}
	}
	if c.Stack != "" {
		if where.File, err = c.LoadFile(project, c.Stack, true); err != nil && where.File == nil {
			c.Say("stack %s has no file: using the accounts in its state", c.Stack)
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
		if flags.Consent && flags.consent != flags.InfraID {
			return invocation.Refuse("%s %s is not the cluster of stack %s: that is %s", gate.ConsentFlag, flags.consent, c.Stack, flags.InfraID)
		}
	}
	if busy := scope.Busy(); flags.delete && busy != "" {
		return &failure.Error{Reason: failure.Conflict, Problem: fmt.Sprintf("stack %s is in use: %s", c.Stack, busy), Remedy: "wait for it to end"}
	}
	plans, facts, err := sweepPlans(ctx, c, scope, flags)
	if err != nil {
		return err
	}
	if flags.all {
		return errors.Join(showClusters(c, facts, plans), incomplete(scope, facts))
	}
	for i := range plans {
		if err := showSweep(c, facts[i], plans[i]); err != nil {
			return err
		}
	}
	if !flags.delete {
		return incomplete(scope, facts)
	}
	return errors.Join(deleteSwept(ctx, c, scope, flags, plans), incomplete(scope, facts))
}

// sweepPlans searches each account, and plans for the cluster or, with --all, for each.
func sweepPlans(ctx context.Context, c *invocation.Invocation, scope *operation.SweepScope, flags sweepFlags) ([]sweep.Plan, []sweep.Facts, error) {
	var plans []sweep.Plan
	var all []sweep.Facts
	for _, account := range scope.Accounts {
		facts, err := scope.Facts(ctx, account)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, facts)
	}
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
			plans = append(plans, sweep.NewPlan(facts, options))
		}
	}
	return plans, all, nil
}

// incomplete returns the error of an incomplete list, or nil if nothing is missing.
func incomplete(scope *operation.SweepScope, all []sweep.Facts) error {
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

// Package cmd has the command sweep, and the flags of destroy for what a cluster left.
package cmd

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// Feature returns the command sweep, and what destroy shows of a sweep.
func Feature() invocation.Feature {
	return invocation.Feature{
		Name:     "sweep",
		Commands: invocation.Adds(sweepCommand),
		Destroy:  extendDestroy,
	}
}

// extendDestroy adds the flags for what the cluster left in AWS. What stays is listed for programs.
func extendDestroy(c *invocation.Invocation, destroy *invocation.DestroyCommand) {
	flags := destroy.Flags()
	flags.BoolVar(&destroy.Options.Data, "data", false,
		"also delete the volumes, snapshots and buckets that the hosted cluster left")
	flags.BoolVar(&destroy.Options.KeepLeftovers, "no-sweep", false, "do not delete what the hosted cluster left in AWS")
	destroy.MarkFlagsMutuallyExclusive("management-cluster-gone", "no-sweep")
	destroy.MarkFlagsMutuallyExclusive("data", "no-sweep")
	destroy.Results = append(destroy.Results, func(_ context.Context, _ *automation.DestroyResult, err error) error {
		writeLeft(c, err)
		return nil
	})
}

// sweepFlags are the flags of sweep.
type sweepFlags struct {
	automation.SweepOptions
	keep []string
}

func sweepCommand(c *invocation.Invocation) *cobra.Command {
	var flags sweepFlags
	cmd := &cobra.Command{
		Use:     "sweep",
		GroupID: invocation.CleanUp,
		Short:   "List, and optionally delete, what a hosted cluster left in AWS",
		Long: `Lists what the operators of a hosted cluster, or a deleted installation, left in AWS: all resources with the tag
kubernetes.io/cluster/<infra ID>=owned, and the record of the ingress in a public zone. With --delete it deletes the resources that pass
every gate, and reads each one again immediately before. Resources that a gate refuses are listed with the gate's name; docs/appendix/sweep.md
describes the gates.

The cluster is that of the stack (-s) or of --infra-id; --all lists every cluster with tagged resources. With -s the accounts are those of the
stack's file and state, otherwise that of --profile and --region, or of the environment; with --all and without these flags those of all stacks
of the project. The output names each account and region: a line "nothing is left of" is the proof that a deletion was complete.

If no management cluster has the cluster, it may be in one that is not configured here. If nothing shows that it ever was in one of them,
or if it has instances that are not terminated, it is deleted only with ` + gate.ConsentFlag + `, which takes the infra ID.

--delete prompts for the infra ID; without a terminal use --yes and --infra-id. After an interruption, run the command again to continue.
The exit code is 1 if a type could not be listed or a resource could not be deleted.`,
		Example: `  hypershift-aws sweep --all --region us-east-1
  hypershift-aws sweep -s dev
  hypershift-aws sweep --infra-id demo-x7k2p --region us-east-1 --delete`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSweep(cmd.Context(), c, flags) },
	}
	c.AddUnreadStack(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.InfraID, "infra-id", "", "the cluster's whole infra `ID`")
	f.BoolVar(&flags.All, "all", false, "list every cluster with tagged resources")
	f.BoolVar(&flags.Delete, "delete", false, "delete the resources that pass every gate")
	f.BoolVar(&flags.Data, "data", false, "include volumes, snapshots and buckets with their contents")
	f.BoolVar(&flags.Running, "running", false, "with -s or "+gate.ConsentFlag+": include running instances")
	f.StringVar(&flags.UnderLivingCluster, strings.TrimPrefix(gate.ConsentFlag, "--"), "",
		"delete cluster `ID` although it may be alive")
	f.BoolVar(&flags.Global, "global", false, "include IAM and Route 53 if nothing else of the cluster is in the region")
	f.BoolVar(&flags.ManagementDeleted, "management-cluster-gone", false,
		"the cluster's management cluster no longer exists; without effect while anything answers at its address")
	f.DurationVar(&flags.MinAge, "min-age", 24*time.Hour, "the minimum age of all resources, a `duration` such as 90m")
	f.StringArrayVar(&flags.keep, "keep", nil,
		"keep resources with the tag `key=value`, or key with any value; repeatable")
	f.StringVar(&flags.Region, "region", "", "without -s: the `region` (default: the environment's)")
	f.StringVar(&flags.Profile, "profile", "", "without -s: the `profile` of the credentials (default: the environment's)")
	f.StringVar(&flags.Kubeconfig.File, "kubeconfig", "", "the kubeconfig `file` of a management cluster to query, in addition to those of the stacks' files")
	f.StringVar(&flags.Kubeconfig.Context, "context", "", "the `context` in --kubeconfig (default: its current one)")
	c.AddPrices(cmd)
	invocation.RegionFlags(cmd, "region")
	return cmd
}

// validate refuses flags that cannot be combined.
func (f *sweepFlags) validate(c *invocation.Invocation) error {
	switch {
	case f.Kubeconfig.Context != "" && f.Kubeconfig.File == "":
		return invocation.Refuse("--context requires --kubeconfig")
	case f.Delete && !f.All && !c.Yes && !c.Streams.Asks:
		return invocation.Refuse("sweep --delete prompts for the infra ID, and there is no terminal: use --yes and --infra-id")
	case f.Delete && !f.All && c.Yes && f.InfraID == "":
		return invocation.Refuse("sweep --delete --yes requires --infra-id")
	}
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
	if err := flags.validate(c); err != nil {
		return err
	}
	var unwritten error
	stack, err := c.Automation(func(event automation.Event) {
		switch e := event.(type) {
		case *automation.SweptEvent:
			reportSwept(c, e.Place, e.Entry)
		case *automation.SweepPlannedEvent:
			if flags.All {
				unwritten = showClusters(c, e.SweepResult)
				return
			}
			for i, p := range e.Plans { // one in each account and region
				unwritten = errors.Join(unwritten, showSweep(c, e.Time, p, e.Searched[i]))
			}
		}
	})
	if err != nil {
		return err
	}
	flags.Decide = func(ctx context.Context, q automation.Question) (bool, error) {
		if unwritten != nil || c.Yes {
			return unwritten == nil, unwritten
		}
		return c.Decide(ctx, q)
	}
	begun := time.Now()
	result, err := stack.Sweep(ctx, flags.SweepOptions)
	if c.JSON != nil && result != nil {
		c.JSON.Report(summaryOf(c, c.Stack, result, err, time.Since(begun)))
	}
	return errors.Join(unwritten, err)
}

// summaryOf returns the summary of a sweep: it deletes resources that are in no state.
func summaryOf(
	c *invocation.Invocation, stack string, result *automation.SweepResult, err error, took time.Duration,
) *event.Summary {
	summary := &event.Summary{
		Operation: "sweep", Stack: stack, Result: "succeeded", Seconds: took.Round(time.Millisecond).Seconds(),
		Offline: c.Offline,
	}
	if err != nil {
		summary.Result = "failed"
	}
	for _, in := range result.Deleted {
		summary.Deleted += len(in.Deleted)
	}
	return summary
}

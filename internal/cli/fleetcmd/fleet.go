// Package fleetcmd has the commands that run one operation on many stacks, or write many stacks' files.
package fleetcmd

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/fleet"
)

// Commands are the commands of this package.
func Commands(c *invocation.Invocation) []*cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Run one operation on many stacks, or write many stacks' files",
		Long: `Runs an operation on all stacks of a folder or, with -C repeated or a pattern such as -C 'clusters/*', of several: a management stack
before the clusters that name it, on destroy after them; several at once, each in a process of its own.

What happens to one stack stops no other's operation half-way. The first Ctrl-C starts no more stacks and lets those in progress go on to
their ends, the second lets only what is in progress in AWS finish, the third gives it up. --resume goes on with a run that was interrupted,
killed or failed in part.

Exit code: 0 if all stacks succeeded; 3 if the only ones that did not have changes where none were expected; 4 if they are locked; 2 if they
are refused; 130 if the run was interrupted; else 1.`,
		Args: invocation.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCommand(c), previewCommand(c), upCommand(c), refreshCommand(c), driftCommand(c), destroyCommand(c), renderPKOCommand(c))
	return []*cobra.Command{cmd}
}

// options are the flags that the operations share.
type options struct {
	selects     []string
	waves       string
	parallel    int
	perAccount  int
	maxFailures int
	lockWait    time.Duration
	resume      bool
}

func (o *options) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&o.selects, "select", nil, "the stacks that meet this `expression`, such as 'prod-*' or kind=cluster,tag:env!=dev; repeatable, any may be met (default: all)")
	flags.StringVar(&o.waves, "waves", "", "the `sizes` of waves, each started when the one before has succeeded: 1,5,rest or 10%,rest (default: one wave)")
	flags.IntVar(&o.parallel, "parallel", 0, "how many stacks are in progress at once (default: one per processor and per gigabyte of memory)")
	flags.IntVar(&o.perAccount, "per-account", 4, "how many of them in one AWS account")
	flags.IntVar(&o.maxFailures, "max-failures", 0, "start no more stacks once so many have failed; 0 for no limit")
	flags.DurationVar(&o.lockWait, "lock-wait", time.Minute, "how long to try locked stacks again, once the others of their wave have ended")
	flags.BoolVar(&o.resume, "resume", false, "go on with the last run: with the stacks that have not succeeded, and those whose files have changed since")
	cmd.MarkFlagsMutuallyExclusive("resume", "select")
	cmd.MarkFlagsMutuallyExclusive("resume", "waves")
}

// limits are the options' limits, with the defaults of this machine.
func (o *options) limits() (fleet.Limits, error) {
	for _, limit := range []struct {
		flag     string
		value    int
		smallest int
	}{{"parallel", o.parallel, 0}, {"per-account", o.perAccount, 1}, {"max-failures", o.maxFailures, 0}} {
		if limit.value < limit.smallest {
			return fleet.Limits{}, invocation.Refuse("--%s %d is too small: use %d or more", limit.flag, limit.value, max(limit.smallest, 1))
		}
	}
	limits := fleet.Limits{Parallel: o.parallel, PerAccount: o.perAccount, MaxFailures: o.maxFailures, LockWait: o.lockWait}
	if limits.Parallel == 0 {
		limits.Parallel = fleet.DefaultParallel()
	}
	return limits, nil
}

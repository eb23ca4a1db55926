// Package fleetcmd contains the commands that run one operation on many stacks, or write many stacks' files.
package fleetcmd

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// Commands returns the commands of this package. commands are those for one stack.
func Commands(c *invocation.Invocation, commands []*cobra.Command) []*cobra.Command {
	cmd := &cobra.Command{
		Use:     "fleet",
		GroupID: invocation.ManyStacks,
		Short:   "Run one operation on many stacks, or write many stacks' files",
		Long: `Runs an operation on all stacks of a folder or, with -C repeated or a pattern such as -C 'clusters/*', of several folders. A management
stack runs before the clusters that refer to it, on destroy after them. Several stacks run at once, each in a separate process.

The failure of one stack does not interrupt the others. After the first Ctrl-C no more stacks are started, and those in progress run to
their end. The second Ctrl-C stops them after the operations in progress in AWS, the third one abandons these. --resume continues a run that
was interrupted, killed or failed in part.

Exit code: 0 if all stacks succeeded; 3 if all others have unexpected changes; 4 if all others are locked; 2 if all others were refused; 130 if the
run was interrupted; otherwise 1.`,
		Example: `  hypershift-aws fleet preview
  hypershift-aws fleet up --select 'prod-*' --waves 1,5,rest`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCommand(c), previewCommand(c), upCommand(c), driftCommand(c), destroyCommand(c), renderPKOCommand(c))
	cmd.AddCommand(verbs(c, commands)...)
	return []*cobra.Command{cmd}
}

// options are the flags shared by the operations.
type options struct{ automation.FleetOptions }

func (o *options) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&o.Select, "select", nil, "select stacks by an `expression`, such as 'prod-*' or kind=cluster,tag:env!=dev; repeatable, a stack must match one (default: all stacks)")
	flags.StringVar(&o.Waves, "waves", "", "the `sizes` of waves; each wave starts when the previous one has succeeded: 1,5,rest or 10%,rest (default: one wave)")
	flags.IntVar(&o.Parallel, "parallel", 0, "the maximum number of stacks in progress (default: one per processor and gigabyte of memory)")
	flags.IntVar(&o.PerAccount, "per-account", 4, "the maximum number of stacks in progress in one AWS account")
	flags.IntVar(&o.MaxFailures, "max-failures", 0, "start no more stacks after this number of failures; 0 for no limit")
	flags.DurationVar(&o.LockWait, "lock-wait", time.Minute, "how long to retry locked stacks after the others of their wave have ended")
	flags.BoolVar(&o.Resume, "resume", false, "continue the last run: stacks that have not succeeded, and stacks whose files have changed since")
	cmd.MarkFlagsMutuallyExclusive("resume", "select")
	cmd.MarkFlagsMutuallyExclusive("resume", "waves")
}

func (o *options) validate() error {
	for _, limit := range []struct {
		flag     string
		value    int
		smallest int
	}{{"parallel", o.Parallel, 0}, {"per-account", o.PerAccount, 1}, {"max-failures", o.MaxFailures, 0}, {"max-open", o.MaxOpen, 0}} {
		if limit.value < limit.smallest {
			return invocation.Refuse("--%s %d is too small: use %d or more", limit.flag, limit.value, max(limit.smallest, 1))
		}
	}
	return nil
}

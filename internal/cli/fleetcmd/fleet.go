// Package fleetcmd contains the commands that run one operation on many stacks, or write many stacks' files.
package fleetcmd

import (
	"github.com/spf13/cobra"

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

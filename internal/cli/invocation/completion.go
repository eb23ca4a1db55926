package invocation

import (
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/operation"
)

// Names lists the possible values of a flag or an argument; an error leaves the list empty, because a shell cannot show it.
type Names func(cmd *cobra.Command) ([]string, error)

// Complete lists the names for a command's only argument, as cobra calls it.
func (n Names) Complete(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, err := n(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// CompleteFlag adds shell completion of a flag's value.
func CompleteFlag(cmd *cobra.Command, flag string, n Names) {
	// An error means that the command has no such flag, which the tests of completion show.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return n.Complete(cmd, nil, begun)
	})
}

// Fixed returns a fixed list.
func Fixed(values ...string) Names {
	return func(*cobra.Command) ([]string, error) { return values, nil }
}

// stackNames returns the stacks with a file in the project.
func (c *Invocation) stackNames(*cobra.Command) ([]string, error) {
	project, err := c.Project()
	if err != nil {
		return nil, err
	}
	return project.Stacks(), nil
}

// OpenToComplete opens the stack for completion, which installs no engine.
func (c *Invocation) OpenToComplete(cmd *cobra.Command) (*operation.Stack, error) {
	c.withoutEngineInstall = true
	return c.Open(cmd.Context(), operation.MustExist, true)
}

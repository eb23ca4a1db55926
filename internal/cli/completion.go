package cli

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// names lists what a flag or an argument can be; errors leave the list empty, since a shell has no place for them.
type names func(cmd *cobra.Command) ([]string, error)

// complete lists the names for a command's only argument, as cobra calls it.
func (n names) complete(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, err := n(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeFlag lets the shell complete a flag's value.
func completeFlag(cmd *cobra.Command, flag string, n names) {
	// An error means that the command has no such flag, which the tests of completion show.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return n.complete(cmd, nil, begun)
	})
}

// stackNames are the stacks that have a file in the project.
func (c *invocation) stackNames(*cobra.Command) ([]string, error) {
	project, err := c.project()
	if err != nil {
		return nil, err
	}
	return project.Stacks(), nil
}

// outputNames are the outputs in the stack's state.
func (c *invocation) outputNames(cmd *cobra.Command) ([]string, error) {
	stack, err := c.openToComplete(cmd)
	if err != nil {
		return nil, err
	}
	defer stack.Close()
	outputs, err := stack.Outputs(cmd.Context(), false)
	return slices.Sorted(maps.Keys(outputs)), err
}

// guardedNames are the resources in the stack's state that up replaces and deletes only with --allow.
func (c *invocation) guardedNames(cmd *cobra.Command) ([]string, error) {
	stack, err := c.openToComplete(cmd)
	if err != nil {
		return nil, err
	}
	defer stack.Close()
	resources, err := stack.Resources(cmd.Context())
	if err != nil {
		return nil, err
	}
	var guarded []string
	for _, r := range resources {
		if record, known := awstype.Of(string(r.Type)); known && record.Guarded {
			guarded = append(guarded, r.URN.Name())
		}
	}
	slices.Sort(guarded)
	return slices.Compact(guarded), nil
}

// openToComplete opens the stack for completion, which installs no engine.
func (c *invocation) openToComplete(cmd *cobra.Command) (*automation.Stack, error) {
	c.noInstall = true
	return c.open(cmd.Context(), automation.MustExist, true)
}

// fixed is a list that needs no stack.
func fixed(values ...string) names {
	return func(*cobra.Command) ([]string, error) { return values, nil }
}

package cli

import (
	"github.com/spf13/cobra"
)

func (c *invocation) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the resources of a stack",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return refuse("unknown check %q: see hypershift-aws check --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.checkPathCommand())
	return cmd
}

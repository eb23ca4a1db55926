package cli

import (
	"github.com/spf13/cobra"
)

func (c *invocation) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check what a stack has made",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return refuse("check %s is no check: see hypershift-aws check --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.checkPathCommand())
	return cmd
}

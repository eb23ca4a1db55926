package inspect

import (
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

func checkCommand(c *invocation.Invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "check",
		GroupID: invocation.InspectAStack,
		Short:   "Check the resources of a stack",
		Example: `  hypershift-aws check path -s dev`,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(checkPathCommand(c))
	return cmd
}

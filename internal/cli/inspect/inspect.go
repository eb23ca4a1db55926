// Package inspect contains the commands that show a stack, its AWS resources, and the price and policy tables. They change nothing in
// AWS.
package inspect

import (
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// Commands returns the commands of this package.
func Commands(c *invocation.Invocation) []*cobra.Command {
	return []*cobra.Command{
		statusCommand(c), diagnoseCommand(c), outputsCommand(c), kubeconfigCommand(c), consoleCommand(c), checkCommand(c), preflightCommand(c), pictureCommand(c), permissionsCommand(c),
		pricesCommand(c), policiesCommand(c), stacksCommand(c), offlineCommand(c),
	}
}

// Package operate contains the commands that change a stack or AWS resources.
package operate

import (
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// Commands returns the commands of this package.
func Commands(c *invocation.Invocation) []*cobra.Command {
	return []*cobra.Command{
		previewCommand(c), upCommand(c), destroyCommand(c), refreshCommand(c), driftCommand(c), cancelCommand(c), recoverCommand(c), sweepCommand(c),
		adoptCommand(c), releaseCommand(c), backupCommand(c), restoreCommand(c),
	}
}

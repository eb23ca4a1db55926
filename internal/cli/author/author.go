// Package author contains the commands that write files: the stack's file, its JSON Schema, and the hosted cluster's objects. They change
// nothing in AWS.
package author

import (
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// Commands returns the commands of this package.
func Commands(c *invocation.Invocation) []*cobra.Command {
	return []*cobra.Command{newCommand(c), renderCommand(c), schemaCommand(c), versionCommand(c)}
}

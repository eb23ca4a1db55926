// Package cmd has the command schema.
package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Feature returns the command schema.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "schema", Commands: invocation.Adds(schemaCommand)}
}

func schemaCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		GroupID: invocation.Reference,
		Short:   "Print the JSON Schema of a stack's file",
		Long: `Prints the JSON Schema of Pulumi.<stack>.yaml, with which editors complete and check it. "new" writes it to
` + config.SchemaFile + ` beside the stack's file, which names it in its first line.`,
		Example: `  hypershift-aws schema > hypershift-aws.schema.json`,
		RunE: func(*cobra.Command, []string) error {
			c.Document()
			_, err := c.Streams.Out.Write(config.Schema())
			return err
		},
	}
}

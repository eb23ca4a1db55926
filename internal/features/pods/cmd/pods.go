// Package cmd has the command render pko, and the programs that run in the pods of the Pulumi Kubernetes Operator.
package cmd

import (
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pulumishim"
)

// Feature returns the command render pko, the language host, and the program in front of the engine.
func Feature() invocation.Feature {
	return invocation.Feature{
		Name: "pods",
		Commands: func(c *invocation.Invocation, root *cobra.Command) {
			for _, cmd := range root.Commands() {
				if cmd.Name() == "render" {
					cmd.AddCommand(renderPKOCommand(c))
				}
			}
		},
		Programs: []invocation.Program{{
			Wanted: languagehost.Wanted,
			Run: func(stack pulumi.RunFunc, args []string) int {
				return languagehost.Run(stack, args, os.Stdout, os.Stderr)
			},
		}, {
			Wanted: pulumishim.Wanted,
			Run:    func(_ pulumi.RunFunc, args []string) int { return pulumishim.Run(pulumishim.Process(), args) },
		}},
	}
}

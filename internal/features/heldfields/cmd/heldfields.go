// Package cmd has the flag --take of up.
package cmd

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// Feature returns the flag --take of up.
func Feature() invocation.Feature { return invocation.Feature{Name: "heldfields", Up: extendUp} }

func extendUp(c *invocation.Invocation, up *invocation.UpCommand) {
	options := &up.Options
	up.Flags().StringArrayVar(&options.Take, "take", nil,
		"give the field with this config `key` the value of the file, although another client of the management cluster holds it; repeatable")
	invocation.CompleteFlag(up.Command, "take", c.StackNames(
		func(ctx context.Context, s *automation.Stack) ([]string, error) { return s.HeldKeys(ctx) }))
	up.Checks = append(up.Checks, func() error {
		if len(options.Take) > 0 && (options.Plan != "" || options.ExpectNoChanges) {
			return invocation.Refuse("--take changes more than the plan that --plan or --expect-no-changes allows: use it alone")
		}
		return nil
	})
}

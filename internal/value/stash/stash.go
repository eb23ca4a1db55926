// Package stash keeps values in a stack's state. Only this package uses Pulumi's Stash, because each package that does takes four seconds more to
// compile: the output of a Stash is an AnyOutput, for which the compiler instantiates all of Pulumi's generic outputs.
package stash

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// Changes of a value that is kept already.
var (
	// KeepsFirst ignores them. Without changes of its input, a Stash is never shown as changed either.
	KeepsFirst = pulumi.IgnoreChanges([]string{"input"})
	// KeepsLast replaces the value.
	KeepsLast = pulumi.ReplaceOnChanges([]string{"input"})
)

// Keep registers a value, and returns the one that the state keeps.
func Keep(ctx *pulumi.Context, name string, value pulumi.Input, changes pulumi.ResourceOption, opts ...pulumi.ResourceOption) (pulumi.Output, error) {
	kept, err := pulumi.NewStash(ctx, name, &pulumi.StashArgs{Input: value}, append(opts[:len(opts):len(opts)], changes)...)
	if err != nil {
		return nil, err
	}
	return kept.Output, nil
}

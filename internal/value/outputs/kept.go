package outputs

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Changes of a value that is kept already.
var (
	// KeepsFirst ignores them. Without changes of its input, a Stash is never shown as changed either.
	KeepsFirst = pulumi.IgnoreChanges([]string{"input"})
	// KeepsLast replaces the value.
	KeepsLast = pulumi.ReplaceOnChanges([]string{"input"})
)

// Stash registers a value, and returns the one that the state keeps.
func Stash(
	ctx *pulumi.Context,
	name string,
	value pulumi.Input,
	changes pulumi.ResourceOption,
	opts ...pulumi.ResourceOption,
) (pulumi.Output, error) {
	kept, err := pulumi.NewStash(ctx, name, &pulumi.StashArgs{Input: value}, append(slices.Clip(opts), changes)...)
	if err != nil {
		return nil, err
	}
	return kept.Output, nil
}

// OfStack returns the outputs with the given names that another stack has, through a StackReference whose name is
// resource.
func OfStack(
	ctx *pulumi.Context,
	resource, stack string,
	names []string,
	opts ...pulumi.ResourceOption,
) (map[string]any, error) {
	reference, err := pulumi.NewStackReference(ctx, resource, &pulumi.StackReferenceArgs{Name: pulumi.String(stack)},
		opts...)
	if err != nil {
		return nil, err
	}
	outputs := map[string]any{}
	for _, name := range names {
		output, err := reference.GetOutputDetails(name)
		if err != nil {
			return nil, err
		}
		if output.Value != nil {
			outputs[name] = output.Value
		}
	}
	return outputs, nil
}

package adopt

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// unknown represents a value that is not known before AWS has created a resource.
type unknown struct{}

// plainInputs returns a resource's inputs as plain values, without nil values. An unknown value is unknown{}.
func plainInputs(ctx context.Context, props pulumi.Map) map[string]any {
	inputs := map[string]any{}
	for name, value := range props {
		if plain := plainInput(ctx, value); plain != nil {
			inputs[name] = plain
		}
	}
	return inputs
}

func plainInput(ctx context.Context, input pulumi.Input) any {
	switch v := input.(type) {
	case nil:
		return nil
	case pulumi.String:
		return string(v)
	case pulumi.Bool:
		return bool(v)
	case pulumi.Float64:
		return float64(v)
	case pulumi.Int:
		return float64(v)
	case pulumi.Array:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plainInput(ctx, item)
		}
		return list
	case pulumi.Map:
		return plainInputs(ctx, v)
	case pulumi.Output:
		result, err := internals.UnsafeAwaitOutput(ctx, v)
		if err != nil || !result.Known {
			return unknown{}
		}
		if inner, nested := result.Value.(pulumi.Input); nested {
			return plainInput(ctx, inner)
		}
		return untyped.Map(result.Value, plainValue)
	}
	return nil // an asset
}

// plainValue returns a number as JSON has it, and an ID as a text.
func plainValue(read any) any {
	switch read := read.(type) {
	case int:
		return float64(read)
	case pulumi.ID:
		return string(read)
	}
	return read
}

// isUnknown reports whether one of a query's inputs is unknown: the resource that it refers to does not exist.
func isUnknown(q account.Query, inputs []string) bool {
	for _, input := range inputs {
		name, _, _ := strings.Cut(input, ".")
		if untyped.Contains(q.Inputs[name], unresolved) {
			return true
		}
	}
	return false
}

func unresolved(value any) bool {
	_, is := value.(unknown)
	return is
}

// providerName returns the name of the provider that a resource is registered with, or "" for the stack's own.
func providerName(ctx context.Context, provider pulumi.ProviderResource) string {
	if provider == nil {
		return ""
	}
	result, err := internals.UnsafeAwaitOutput(ctx, provider.URN())
	if err != nil || !result.Known {
		return ""
	}
	urn, _ := result.Value.(pulumi.URN)
	name := string(urn)
	name = name[strings.LastIndex(name, "::")+2:]
	if strings.HasPrefix(name, "default") {
		return ""
	}
	return name
}

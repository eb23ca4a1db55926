package stacks

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
)

type noMocks struct{}

func (noMocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	return args.Name, args.Inputs, nil
}

func (noMocks) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) { return nil, nil }

// A unit test of a program that embeds a stack runs it by pulumi.WithMocks.
func TestAProgramIsTestedByMocksWithoutTheHook(t *testing.T) {
	t.Parallel()
	require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		return newPlacement(Options{}, nil, nil).guardDestroy(ctx, Dependent{Kind: "cluster", Name: "demo"}, false)
	}, pulumi.WithMocks("project", "stack", noMocks{})))
}

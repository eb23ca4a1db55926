package capa

import (
	"errors"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
)

// deprecatedImages answers as AWS does about images that are deprecated.
type deprecatedImages struct{}

func (deprecatedImages) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	return args.Name, args.Inputs, nil
}

func (deprecatedImages) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	if asked, given := args.Args["includeDeprecated"]; !given || !asked.BoolValue() {
		return nil, errors.New("your query returned no results. Please change your search criteria and try again")
	}
	return resource.PropertyMap{"architecture": resource.NewProperty("x86_64")}, nil
}

func TestTheGivenImageOfALivingClusterMayBeDeprecated(t *testing.T) {
	t.Parallel()
	require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		parent := &InstanceProfiles{}
		if err := ctx.RegisterComponentResource("test:index:Parent", "parent", parent); err != nil {
			return err
		}
		return checkImage(ctx, "ami-0123456789abcdef0", map[string]string{"t3.large": "x86_64"}, pulumi.Parent(parent))
	}, pulumi.WithMocks("p", "s", deprecatedImages{})))
}

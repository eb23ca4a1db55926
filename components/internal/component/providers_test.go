package component_test

import (
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	other "github.com/hypershift-aws/hypershift-aws/components/internal/component/testdata/pulumi-aws/sdk/v7/aws"
)

type args struct{}

func (*args) Validate() error { return nil }

type part struct{ pulumi.ResourceState }

// engine registers resources as they are.
type engine struct{}

func (engine) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	return args.Name, args.Inputs, nil
}

func (engine) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) { return nil, nil }

func TestAProviderOfAnotherMajorVersionIsRefused(t *testing.T) {
	t.Parallel()
	register := func(provider func(*pulumi.Context) (pulumi.ProviderResource, error), many bool) error {
		return pulumi.RunErr(func(ctx *pulumi.Context) error {
			p, err := provider(ctx)
			if err != nil {
				return err
			}
			var option pulumi.ResourceOption = pulumi.Provider(p)
			if many {
				option = pulumi.ProviderMap(map[string]pulumi.ProviderResource{"aws": p})
			}
			_, err = component.New(ctx, "test:index:Part", "part", "x", &args{}, []pulumi.ResourceOption{option},
				func(*part, *args) error { return nil })
			return err
		}, pulumi.WithMocks("project", "stack", engine{}))
	}
	v6 := func(ctx *pulumi.Context) (pulumi.ProviderResource, error) {
		return aws.NewProvider(ctx, "aws", &aws.ProviderArgs{})
	}
	v7 := func(ctx *pulumi.Context) (pulumi.ProviderResource, error) {
		var p other.Provider
		return &p, ctx.RegisterResource("pulumi:providers:aws", "aws", nil, &p)
	}
	for _, many := range []bool{false, true} {
		require.NoError(t, register(v6, many))
		require.ErrorContains(t, register(v7, many), "provider is of pulumi-aws v7, and the components create resources of v6")
	}
}

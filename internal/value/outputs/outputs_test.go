package outputs

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"github.com/stretchr/testify/require"
)

func TestTaggedFieldsAreOutputsAndTaggedStructsAndMapsAreMaps(t *testing.T) {
	t.Parallel()
	type zone struct {
		ID pulumi.StringInput `pulumi:"id"`
	}
	component := &struct {
		pulumi.ResourceState
		Names []string
		VPCID pulumi.StringInput            `pulumi:"vpcID"`
		Zone  zone                          `pulumi:"zone"`
		IDs   map[string]pulumi.StringInput `pulumi:"ids"`
	}{
		Names: []string{"a"}, VPCID: pulumi.String("vpc-1"), Zone: zone{pulumi.String("Z1")},
		IDs: map[string]pulumi.StringInput{"lb": pulumi.String("sg-1")},
	}
	require.Equal(t, pulumi.Map{
		"vpcID": pulumi.String("vpc-1"), "zone": pulumi.Map{"id": pulumi.String("Z1")},
		"ids": pulumi.Map{"lb": pulumi.String("sg-1")},
	}, Collect(component))
}

func TestClearedOutputsAreEmptyAndFieldsWithoutATagStay(t *testing.T) {
	t.Parallel()
	component := &struct {
		Names []string
		VPCID pulumi.StringOutput `pulumi:"vpcID"`
		Zone  struct {
			Servers pulumi.StringArrayOutput `pulumi:"servers"`
		} `pulumi:"zone"`
		IDs map[string]pulumi.StringOutput `pulumi:"ids"`
	}{Names: []string{"a"}}
	Clear(component)
	require.Equal(t, []string{"a"}, component.Names)
	require.Empty(t, component.IDs)
	require.NotNil(t, component.IDs)
	for _, output := range []pulumi.Output{component.VPCID, component.Zone.Servers} {
		value, err := internals.UnsafeAwaitOutput(t.Context(), output)
		require.NoError(t, err)
		require.Empty(t, value.Value)
		require.True(t, value.Known)
	}
}

package component

import (
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
)

func TestAProviderOfAnotherMajorVersionIsRefused(t *testing.T) {
	t.Parallel()
	require.NoError(t, checkProviders([]pulumi.ResourceOption{pulumi.Provider(&aws.Provider{}), pulumi.Protect(true)}))
	require.NoError(t, checkProviders(nil))
	require.NoError(t, checkModule("github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"))
	require.ErrorContains(t, checkModule("github.com/pulumi/pulumi-aws/sdk/v7/go/aws"),
		"is of pulumi-aws v7, and the components create resources of v6")
}

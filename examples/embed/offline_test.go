package main

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

// The program's resources are created and deleted by the real engine, in an AWS account in memory.
func TestTheProgramIsDeployedAndDeleted(t *testing.T) {
	t.Parallel()
	account, err := automation.ServeOffline(t.Context(), automation.OfflineOptions{
		// the engine of make engine; elsewhere that on PATH is used
		Existing: []string{"public-zone=example.com"}, EngineDirs: []string{"../.."},
	})
	require.NoError(t, err)
	defer account.Close() //nolint:errcheck // its temporary folder

	stack, err := auto.UpsertStackInlineSource(t.Context(), "test", "embed", Program, account.Options()...)
	require.NoError(t, err)
	require.NoError(t, stack.SetConfig(t.Context(), "aws:region", auto.ConfigValue{Value: "us-east-1"}))

	up, err := stack.Up(t.Context())
	require.NoError(t, err)
	require.Regexp(t, "^vpc-", up.Outputs["vpcID"].Value)
	preview, err := stack.Preview(t.Context())
	require.NoError(t, err)
	for change := range preview.ChangeSummary {
		require.Equal(t, apitype.OpSame, change, "a second up changes nothing")
	}

	require.NoError(t, stack.SetConfig(t.Context(), "embed:nat", auto.ConfigValue{Value: "Single"}))
	changed, err := stack.Up(t.Context())
	require.NoError(t, err)
	require.Equal(t, up.Outputs["vpcID"].Value, changed.Outputs["vpcID"].Value)
	require.NotContains(t, *changed.Summary.ResourceChanges, "replace", "it is changed in place")
	require.Equal(t, 2, (*changed.Summary.ResourceChanges)["delete"], "one NAT gateway and its address")

	_, err = stack.Destroy(t.Context())
	require.NoError(t, err)
}

package automation

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
)

func TestRecoveryUsesTheCurrentCredentialsOfTheConfig(t *testing.T) {
	t.Parallel()
	state := map[string]any{"region": "us-east-1", "accessKey": "old", "profile": "old", "version": "6.83.4", "skipRegionValidation": "true"}
	config := auto.ConfigMap{"aws:region": {Value: "us-east-1"}, "aws:accessKey": {Value: "new"}, "aws:secretKey": {Value: "s", Secret: true},
		"hypershift-aws:kind": {Value: "cluster"}}
	now := renewed(state, config, func(value string) any { return value })
	require.Equal(t, map[string]any{"region": "us-east-1", "accessKey": "new", "secretKey": "s", "version": "6.83.4", "skipRegionValidation": "true"}, now)
	require.Equal(t, map[string]any{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": `"s"`},
		renewed(state, config, awsconfig.Secret)["secretKey"], "what the engine encrypts")
	require.Equal(t, state, renewed(state, auto.ConfigMap{"hypershift-aws:kind": {Value: "cluster"}}, awsconfig.Secret), "credentials of the environment")
	require.True(t, isOwnProvider("urn:pulumi:dev::hypershift-aws::pulumi:providers:aws::default_6_83_4::0a1b"))
	require.False(t, isOwnProvider("urn:pulumi:dev::hypershift-aws::pulumi:providers:aws::vpc-owner-account::0a1b"))
}

package stacks

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestAClustersOwnKeyTakesPrecedenceOverItsManagementStacks(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "theirs", "own": "own", config.NoKMSKey: config.NoKMSKey} {
		e := &clusterProgram{
			config: &config.Cluster{}, region: "us-east-1",
			management: config.ManagementOutputs{AccountID: "1", Region: "us-east-1", EtcdKeyARN: "theirs"},
		}
		if given != "" {
			e.kmsKeyARN = pulumi.String(given)
		}
		require.NoError(t, e.takeKey("1"))
		require.Equal(t, pulumi.String(want), e.kmsKeyARN)
		require.Empty(t, e.config.KMSKeyARN, "the config is not changed")
	}
}

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

const release = "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64"

// hostedCluster are the keys of a cluster stack that makes its hosted cluster, with a pull secret that is a file.
func hostedCluster(t *testing.T, more string) string {
	t.Helper()
	pullSecret := filepath.Join(t.TempDir(), "pull-secret.json")
	require.NoError(t, os.WriteFile(pullSecret, []byte(`{"auths":{}}`), 0o600))
	return `    hostedCluster:
      kubeconfig: {context: management}
      release: ` + release + `
      pullSecret: ` + pullSecret + "\n" + more
}

func withHostedCluster(t *testing.T, more string) clusterConfig {
	t.Helper()
	return clusterConfig{access: hypershift.PublicAndPrivate, nat: network.PerZone, zones: zoneNames(2), more: hostedCluster(t, more)}
}

func TestAHostedClusterComesUpStaysAndGoes(t *testing.T) {
	t.Parallel()
	stack := newCluster(t)
	stack.Configure(withHostedCluster(t, "      unprotected: true\n").String())
	stack.Up()
	requireGolden(t, "hostedcluster/graph.txt", stack.Graph(nil, "hosted-cluster"))
	require.Empty(t, stack.Up(), "a second up")
	require.Empty(t, stack.Refresh(), "a refresh")
	require.Empty(t, stack.Preview(), "a preview after the refresh")
	stack.Destroy()
	require.Empty(t, stack.Resources(), "what destroy left in the account")
	for _, o := range stack.Objects() {
		require.Equal(t, "Namespace", o.Kind, strings.TrimSpace(o.ID))
	}
}

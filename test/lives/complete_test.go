package lives

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// complete returns a copy of the example of that name.
func complete(t *testing.T) *harness.CLI {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"Pulumi.yaml", "Pulumi.management.yaml", "Pulumi.demo.yaml", "pull-secret.json"} {
		text, err := os.ReadFile(repo.Path("examples", "complete", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return harness.NewCLI(t, dir)
}

func TestTheCompleteExampleIsCreatedChangedAndDestroyedInOrder(t *testing.T) {
	t.Parallel()
	c := complete(t)
	c.Run("--offline", "-s", "management", "up", "--yes")
	c.Run("--offline", "-s", "demo", "up", "--yes", "--wait")
	require.Contains(t, c.Run("--offline", "-s", "demo", "kubeconfig"), "kind: Config")
	require.Contains(t, c.Run("--offline", "-s", "demo", "render"), "hostname: api-demo.hcp.example.com",
		"the management stack's zone")

	file := filepath.Join(c.Dir, "Pulumi.demo.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "replicas: 2", "replicas: 3", 1)), 0o600))
	require.Contains(t, c.Run("--offline", "-s", "demo", "preview"), "1 to update")
	c.Run("--offline", "-s", "demo", "up", "--yes", "--wait")

	c.Run("--offline", "-s", "demo", "destroy", "--yes", "--cluster", "demo")
	c.Run("--offline", "-s", "management", "destroy", "--yes")
	require.Empty(t, harness.MadeIn(t, filepath.Join(c.Dir, ".hypershift-aws", "offline")))
}

func TestDestroyWithoutOperatorsNamesTheBlockersOfTheHostedClusterAndTheVPC(t *testing.T) {
	t.Parallel()
	c := complete(t)
	c.Run("--offline", "-s", "management", "up", "--yes")
	c.Run("--offline", "-s", "demo", "up", "--yes", "--wait")
	cluster, err := offline.OpenCluster(filepath.Join(c.Dir, ".hypershift-aws", "offline"), "", "management")
	require.NoError(t, err)
	require.NoError(t, cluster.SetOperators(offline.Operators{Killed: true}))
	require.NoError(t, cluster.Close())

	_, said, code := c.Exit("--offline", "-s", "demo", "destroy", "--yes", "--cluster", "demo")
	require.Equal(t, 1, code)
	require.Contains(t, said, "has been in deletion since")
	require.Contains(t, said, "blocked by finalizers [hypershift.openshift.io/finalizer]")

	// The finalizers are removed manually, and the operators' resources stay in AWS.
	cluster, err = offline.OpenCluster(filepath.Join(c.Dir, ".hypershift-aws", "offline"), "", "management")
	require.NoError(t, err)
	for kind, names := range map[string][]string{
		"NodePool":      {"demo-us-east-1a", "demo-us-east-1b"},
		"HostedCluster": {"demo"},
	} {
		for _, name := range names {
			require.NoError(t, cluster.Edit(kind, "clusters", name, "somebody", func(object map[string]any) {
				delete(object["metadata"].(map[string]any), "finalizers")
			}))
		}
	}
	require.NoError(t, cluster.Close())
	_, said, code = c.Exit("--offline", "-s", "demo", "destroy", "--yes", "--cluster", "demo", "--no-sweep")
	require.Equal(t, 1, code)
	require.Contains(t, said, "DependencyViolation")
	require.Contains(t, said, "block the deletion of the network; `hypershift-aws --offline sweep -s demo`")
	require.Regexp(t, `  security group sg-[0-9a-f]{17}`, said)
	require.Regexp(t, `  VPC endpoint vpce-[0-9a-f]{17}`, said)

	_, said, code = c.Exit("--offline", "-s", "demo", "destroy", "--yes", "--cluster", "demo")
	require.Zero(t, code, said)
	require.Regexp(t, `deleted VPC endpoint vpce-[0-9a-f]{17}.*, which the hosted cluster left`, said)
}

package lives

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

func TestTheCLIRunsThePrivateLinkExampleUpAndDown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, err := filepath.Glob(repo.Path("examples", "privatelink", "Pulumi*.yaml"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600))
	}
	cli := harness.NewCLI(t, dir)

	stdout, stderr, code := cli.Exit("--offline", "up", "--yes", "-s", "mismatch")
	require.NotZero(t, code, stdout)
	require.Contains(t, stderr, `network.zones[0]: "us-east-1a" is use1-az3 in account 123456789012`)
	require.Contains(t, stderr, "use1-az3     us-east-1a             us-east-1e                 no")

	made := []string{"private", "public-and-private", "operator", "hub"}
	for _, stack := range made {
		cli.Run("--offline", "up", "--yes", "-s", stack)
		cli.Run("--offline", "preview", "--expect-no-changes", "-s", stack)
		cli.Run("--offline", "paths", "-s", stack)
	}
	for _, stack := range made {
		cli.Run("--offline", "destroy", "--yes", "-s", stack)
	}
	require.Empty(t, harness.MadeIn(t, filepath.Join(dir, ".hypershift-aws", "offline")))
}

package author_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// answering runs a command line at a terminal with these answers.
func answering(t *testing.T, answers string, args ...string) (int, string) {
	t.Helper()
	var stderr bytes.Buffer
	code := cli.Run(invocation.Streams{In: strings.NewReader(answers), Out: &stderr, Err: &stderr, Asks: true, Dir: t.TempDir()}, args)
	return code, stderr.String()
}

func TestNewPromptsForMissingValuesWithDefaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "\n\nexample.com\ndemo-oidc\n", "-C", dir, "-s", "demo", "new", "--zones", "us-east-1b")
	require.Equal(t, invocation.ExitDone, code, said)
	assert.Contains(t, said, "name of the hosted cluster [demo]: ")
	assert.Contains(t, said, "AWS region [us-east-1]: ")

	file, err := stacks.LoadFile(dir, "demo")
	require.NoError(t, err)
	assert.Equal(t, "demo", file.Cluster.Name)
	assert.Equal(t, "us-east-1", file.Region)
	assert.Equal(t, "example.com", file.Cluster.BaseDomain)
}

func TestStacksOfEqualNamesInTwoProjectsHaveDifferentInfraIDs(t *testing.T) {
	t.Parallel()
	var ids []string
	for range 2 {
		dir := t.TempDir()
		code, said := answering(t, "", "-C", dir, "-s", "dev", "new", "--name", "a-cluster-with-a-very-long-name-indeed",
			"--region", "us-east-1", "--base-domain", "example.com", "--oidc-bucket", "shared")
		require.Equal(t, invocation.ExitDone, code, said)
		file, err := stacks.LoadFile(dir, "dev")
		require.NoError(t, err)
		require.LessOrEqual(t, len(file.Cluster.InfraID), 32)
		ids = append(ids, file.Cluster.InfraID)
	}
	require.NotEqual(t, ids[0], ids[1])
}

func TestNewWritesNothingAfterAnInvalidAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "De mo\nus-east-1\nexample.com\ndemo-oidc\n", "-C", dir, "-s", "demo", "new")
	assert.Equal(t, invocation.ExitRefused, code)
	assert.Contains(t, said, `"De mo"`)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestAnEndOfInputIsNotAnAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "demo\n", "-C", dir, "new")
	assert.Equal(t, invocation.ExitFailed, code)
	assert.Contains(t, said, "reading the answer")
	assert.NoFileExists(t, filepath.Join(dir, "Pulumi.demo.yaml"))
}

func TestNewPromptsForTheRequiredValuesOfKindCAPA(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "\n\nv1.33.4\n", "-C", dir, "-s", "demo", "new", "--kind", "capa")
	require.Equal(t, invocation.ExitDone, code, said)
	assert.Contains(t, said, "name of the cluster [demo]: ")
	assert.Contains(t, said, "version of Kubernetes, such as v1.33.4: ")

	file, err := stacks.LoadFile(dir, "demo")
	require.NoError(t, err)
	assert.Equal(t, "v1.33.4", file.CAPA.KubernetesVersion)
	assert.Len(t, file.CAPA.Network.Zones, 1)
}

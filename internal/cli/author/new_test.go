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
	code, said := answering(t, "\nus-east-1\n\nexample.com\ndemo-oidc\n", "-C", dir, "-s", "demo", "new")
	require.Equal(t, invocation.ExitDone, code, said)
	assert.Contains(t, said, "name of the hosted cluster [demo]: ")
	assert.Contains(t, said, "AWS region, such as us-east-1: ")
	assert.Contains(t, said, "availability zones, separated by commas [us-east-1a]: ")

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
		code, said := answering(t, "\n", "-C", dir, "-s", "dev", "new", "--name", "a-cluster-with-a-very-long-name-indeed",
			"--region", "us-east-1", "--base-domain", "example.com", "--oidc-bucket", "shared")
		require.Equal(t, invocation.ExitDone, code, said)
		file, err := stacks.LoadFile(dir, "dev")
		require.NoError(t, err)
		require.LessOrEqual(t, len(file.Cluster.InfraID), 32)
		ids = append(ids, file.Cluster.InfraID)
	}
	require.NotEqual(t, ids[0], ids[1])
}

func TestNewRepeatsAQuestionUntilTheAnswerIsValid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "De mo\ndemo\nus-eat-1\nus-east-1\nus-west-2a\nus-east-1a, us-east-1b\nexample.com.\nexample.com\nDemo\ndemo-oidc\n",
		"-C", dir, "-s", "dev", "new")
	require.Equal(t, invocation.ExitDone, code, said)
	for _, wrong := range []string{`cluster.name: "De mo"`, `aws:region: "us-eat-1"`, `zones[0]: "us-west-2a"`, `baseDomain: "example.com."`, `bucketName: "Demo"`} {
		assert.Equal(t, 1, strings.Count(said, wrong), "%s in %s", wrong, said)
	}
	file, err := stacks.LoadFile(dir, "dev")
	require.NoError(t, err)
	assert.Equal(t, "demo", file.Cluster.Name)
	assert.Len(t, file.Cluster.Network.Zones, 2)
}

func TestNewChecksFlagsAndTheFileBeforeItAsks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "", "-C", dir, "-s", "demo", "new", "--region", "us-east-1", "--nat", "Most", "--zones", "us-west-2a")
	assert.Equal(t, invocation.ExitRefused, code)
	assert.Contains(t, said, `nat: "Most"`)
	assert.Contains(t, said, `"us-west-2a"`)
	assert.NotContains(t, said, "name of the hosted cluster")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.demo.yaml"), nil, 0o600))
	code, said = answering(t, "", "-C", dir, "-s", "demo", "new")
	assert.Equal(t, invocation.ExitRefused, code)
	assert.Contains(t, said, "exists and was not changed")
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
	code, said := answering(t, "\nus-east-1\n\n1.33\nv1.33.4\n", "-C", dir, "-s", "demo", "new", "--kind", "capa")
	require.Equal(t, invocation.ExitDone, code, said)
	assert.Contains(t, said, "name of the cluster [demo]: ")
	assert.Contains(t, said, "version of Kubernetes, such as v1.33.4: ")

	file, err := stacks.LoadFile(dir, "demo")
	require.NoError(t, err)
	assert.Equal(t, "v1.33.4", file.CAPA.KubernetesVersion)
	assert.Len(t, file.CAPA.Network.Zones, 1)
}

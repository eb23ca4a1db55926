package author_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// answering runs a command line at a terminal with these answers.
func answering(t *testing.T, answers string, args ...string) (int, string) {
	t.Helper()
	var stderr bytes.Buffer
	code := cli.Run(invocation.Streams{
		In:   strings.NewReader(answers),
		Out:  &stderr,
		Err:  &stderr,
		Asks: true,
		Dir:  t.TempDir(),
	}, nil, args)
	return code, stderr.String()
}

func TestNewPromptsForMissingValuesWithDefaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "\nus-east-1\n\nexample.com\ndemo-oidc\n", "-C", dir, "-s", "demo", "new")
	require.Zero(t, code, said)
	assert.Contains(t, said, "name of the hosted cluster [demo]: ")
	assert.Contains(t, said, "AWS region, such as us-east-1: ")
	assert.Contains(t, said, "availability zones, separated by commas [us-east-1a]: ")

	file, err := stacks.LoadFile(dir, "demo")
	require.NoError(t, err)
	assert.Equal(t, "demo", config.As[*config.Cluster](file).Name)
	assert.Equal(t, "us-east-1", file.Region)
	assert.Equal(t, "example.com", config.As[*config.Cluster](file).BaseDomain)
}

func TestStacksOfEqualNamesInTwoProjectsHaveDifferentInfraIDs(t *testing.T) {
	t.Parallel()
	var ids []string
	for range 2 {
		dir := t.TempDir()
		code, said := answering(t, "\n", "-C", dir, "-s", "dev", "new", "--name", "a-cluster-with-a-very-long-name-indeed",
			"--region", "us-east-1", "--base-domain", "example.com", "--oidc-bucket", "shared")
		require.Zero(t, code, said)
		file, err := stacks.LoadFile(dir, "dev")
		require.NoError(t, err)
		require.LessOrEqual(t, len(config.As[*config.Cluster](file).InfraID), 32)
		ids = append(ids, config.As[*config.Cluster](file).InfraID)
	}
	require.NotEqual(t, ids[0], ids[1])
}

func TestNewRepeatsAQuestionUntilTheAnswerIsValid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "De mo\ndemo\nus-eat-1\nus-east-1\nus-west-2a\nus-east-1a, us-east-1b\nexample.com.\nexample.com\nDemo\ndemo-oidc\n",
		"-C", dir, "-s", "dev", "new")
	require.Zero(t, code, said)
	for _, wrong := range []string{`cluster.name: "De mo"`, `aws:region: "us-eat-1"`, `zones[0]: "us-west-2a"`, `baseDomain: "example.com."`, `bucketName: "Demo"`} {
		assert.Equal(t, 1, strings.Count(said, wrong), "%s in %s", wrong, said)
	}
	file, err := stacks.LoadFile(dir, "dev")
	require.NoError(t, err)
	assert.Equal(t, "demo", config.As[*config.Cluster](file).Name)
	assert.Len(t, config.As[*config.Cluster](file).Network.Zones, 2)
}

func TestNewChecksFlagsAndTheFileBeforeItAsks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "", "-C", dir, "-s", "demo", "new", "--region", "us-east-1", "--nat", "Most", "--zones",
		"us-west-2a")
	assert.Equal(t, failure.Refused.ExitCode(), code)
	assert.Contains(t, said, `nat: "Most"`)
	assert.Contains(t, said, `"us-west-2a"`)
	assert.NotContains(t, said, "name of the hosted cluster")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.demo.yaml"), nil, 0o600))
	code, said = answering(t, "", "-C", dir, "-s", "demo", "new")
	assert.Equal(t, failure.Refused.ExitCode(), code)
	assert.Contains(t, said, "exists and was not changed")
}

func TestAnEndOfInputIsNotAnAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "demo\n", "-C", dir, "new")
	assert.Equal(t, failure.Failed.ExitCode(), code)
	assert.Contains(t, said, "reading the answer")
	assert.NoFileExists(t, filepath.Join(dir, "Pulumi.demo.yaml"))
}

func TestNewPromptsForTheRequiredValuesOfKindCAPA(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "\nus-east-1\n\n1.33\nv1.33.4\n", "-C", dir, "-s", "demo", "new", "--kind", "capa")
	require.Zero(t, code, said)
	assert.Contains(t, said, "name of the cluster [demo]: ")
	assert.Contains(t, said, "version of Kubernetes, such as v1.33.4: ")

	file, err := stacks.LoadFile(dir, "demo")
	require.NoError(t, err)
	assert.Equal(t, "v1.33.4", config.As[*config.CAPA](file).KubernetesVersion)
	assert.Len(t, config.As[*config.CAPA](file).Network.Zones, 1)
}

func TestNewTakesWhatAClustersStacksHaveInCommonFromTheNetworksFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"-s", "net", "new", "--kind", "network", "--name", "demo", "--region", "us-east-1", "--base-domain", "example.com",
			"--base-domain-prefix", "none", "--endpoint-access", "Private", "--zones", "us-east-1a"},
		{"-s", "roles", "new", "--kind", "iam", "--network-stack", "net", "--oidc-bucket", "demo-oidc"},
		{"-s", "dev", "new", "--network-stack", "net", "--iam-stack", "roles"},
	} {
		code, said := answering(t, "", append([]string{"-C", dir}, args...)...)
		require.Zero(t, code, said)
	}
	net, err := stacks.LoadFile(dir, "net")
	require.NoError(t, err)
	require.Regexp(t, `^demo-[a-z0-9]{5}$`, config.As[*config.Network](net).InfraID)
	roles, err := stacks.LoadFile(dir, "roles")
	require.NoError(t, err)
	dev, err := stacks.LoadFile(dir, "dev")
	require.NoError(t, err)
	assert.Equal(t, config.As[*config.Network](net).InfraID, config.As[*config.IAM](roles).InfraID)
	assert.Equal(t, "us-east-1", roles.Region)
	assert.Equal(
		t,
		[]string{config.As[*config.Network](net).InfraID, "demo", "example.com", "none", "Private"},
		[]string{
			config.As[*config.Cluster](dev).InfraID,
			config.As[*config.Cluster](dev).Name,
			config.As[*config.Cluster](dev).BaseDomain,
			config.As[*config.Cluster](dev).BaseDomainPrefix,
			string(config.As[*config.Cluster](dev).EndpointAccess),
		},
	)
}

func TestNewPromptsForTheRequiredValuesOfKindIAM(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "net\n\nus-east-1\nDemo\ndemo-x1\ndemo-oidc\n", "-C", dir, "-s", "demo", "new", "--kind",
		"iam")
	require.Zero(t, code, said)
	assert.Equal(t, 1, strings.Count(said, `iam.infraID: "Demo"`), said)
	file, err := stacks.LoadFile(dir, "demo")
	require.NoError(t, err)
	assert.Equal(
		t,
		[]string{"net", "demo", "demo-x1"},
		[]string{config.As[*config.IAM](file).NetworkStack, config.As[*config.IAM](file).Name,
			config.As[*config.IAM](file).InfraID},
	)
}

func TestNewRefusesFlagsOfAnotherKind(t *testing.T) {
	t.Parallel()
	for refused, args := range map[string][]string{
		"--oidc-bucket is not for --kind network":                  {"--kind", "network", "--oidc-bucket", "b"},
		"--zones is not for --kind iam":                            {"--kind", "iam", "--zones", "us-east-1a"},
		"--network-stack is not for --kind capa":                   {"--kind", "capa", "--network-stack", "net"},
		"--topology is not for --kind cluster":                     {"--topology", "Public"},
		"--iam-stack needs --network-stack":                        {"--iam-stack", "roles"},
		"--network-stack and --zones cannot be used together":      {"--network-stack", "net", "--zones", "us-east-1a"},
		"use cluster, capa, network, iam, nodePools or management": {"--kind", "fleet"},
		"--name is not for --kind management":                      {"--kind", "management", "--name", "x"},
		"--management and --oidc-bucket cannot be used":            {"--management", "m", "--oidc-bucket", "b"},
		"--external-dns-domain is for the hosted cluster":          {"--external-dns-domain", "hcp.example.com"},
	} {
		code, said := answering(t, "", append([]string{"-C", t.TempDir(), "-s", "dev", "new"}, args...)...)
		assert.Equal(t, failure.Refused.ExitCode(), code, said)
		assert.Contains(t, said, refused)
	}
}

func TestNewAsksForWhatAHostedClusterCannotGetLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(
		t,
		"\nus-east-1\n\nexample.com\ndemo-oidc\nquay.io/openshift-release-dev/ocp-release:4.20.1-multi\nhcp.example.com\n",
		"-C",
		dir,
		"-s",
		"demo",
		"new",
	)
	require.Zero(t, code, said)
	assert.Contains(t, said, "can never be moved to another management cluster")
	file, err := stacks.LoadFile(dir, "demo")
	require.NoError(t, err)
	require.NotNil(t, config.As[*config.Cluster](file).HostedCluster)
	assert.Equal(t, "hcp.example.com", config.As[*config.Cluster](file).HostedCluster.ExternalDNSDomain)
	assert.NotNil(t, config.As[*config.Cluster](file).HostedCluster.Kubeconfig)

	code, said = answering(t, "\nus-east-1\n\nexample.com\ndemo-oidc\nnone\n", "-C", dir, "-s", "later", "new")
	require.Zero(t, code, said)
	assert.NotContains(t, said, "can never be moved", "asked only for a hosted cluster")
}

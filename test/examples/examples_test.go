package examples

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// clusterExamples returns the examples that are a cluster stack: the CLI and `pulumi up` both run them.
func clusterExamples() []string {
	return []string{"public-and-private", "existing-vpc", "public", "private", "govcloud", "no-egress", "shared-vpc",
		"adopt"}
}

func TestTheCLIRunsEveryExampleUpAndDown(t *testing.T) {
	t.Parallel()
	for _, example := range sizes.First(1, clusterExamples()) {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			cli := harness.NewCLI(t, stackfile.CopyOf(t, example))
			cli.Run("--offline", "up", "--yes")
			cli.Run("--offline", "preview", "--expect-no-changes")

			var infra documents.Infra
			require.NoError(t, json.Unmarshal([]byte(cli.Run("--offline", "outputs", "--format", "infra-json")), &infra))
			require.Equal(t, "demo", infra.Name)
			require.NotEmpty(t, infra.VPCID)
			require.NotEmpty(t, infra.Zones)

			cli.Run("--offline", "destroy", "--yes")
			require.Empty(t, harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")))
		})
	}
}

func TestPulumiRunsEveryExampleUpAndDown(t *testing.T) {
	t.Parallel()
	for _, example := range sizes.First(1, append(clusterExamples(), "embed")) {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			p := harness.NewProject(t, harness.WithProgram(t, example), state, stackfile.SeedsOf(t, example))
			p.Init()
			p.Pulumi("up", "--yes", "--skip-preview")
			p.Pulumi("preview", "--expect-no-changes")
			if example != "embed" { // which has components alone, and nothing that stops a destroy
				p.Pulumi("config", "set", "--path", config.ClusterKey+".unprotected", "true")
			}
			p.Pulumi("destroy", "--yes", "--skip-preview", "--run-program")
			require.Empty(t, harness.MadeIn(t, filepath.Join(state, "offline")))
		})
	}
}

// The repository's own Pulumi.yaml types its config and names cmd/program.
func TestTheRepositoryIsAPulumiProject(t *testing.T) {
	t.Parallel()
	dir := stackfile.CopyOf(t, "public-and-private")
	project, err := os.ReadFile(repo.Path("Pulumi.yaml"))
	require.NoError(t, err)
	root, err := filepath.Rel(dir, repo.Path())
	require.NoError(t, err)
	text := strings.Replace(string(project), "main: cmd/program", "main: "+filepath.Join(root, "cmd", "program"), 1)
	require.NotEqual(t, string(project), text)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte(text), 0o600))

	state := t.TempDir()
	p := harness.NewProject(t, dir, state, stackfile.SeedsOf(t, "public-and-private"))
	p.Init()
	p.Pulumi("up", "--yes", "--skip-preview")
	p.Pulumi("preview", "--expect-no-changes")
}

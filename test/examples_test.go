package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// clusterExamples returns the examples that are a cluster stack: the CLI and `pulumi up` both run them.
func clusterExamples() []string {
	return []string{"public-and-private", "existing-vpc", "public", "private", "govcloud", "no-egress", "shared-vpc", "adopt"}
}

// copyOf copies an example's config, so that nothing is written in the repository.
func copyOf(t *testing.T, example string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"Pulumi.yaml", "Pulumi.demo.yaml"} {
		text, err := os.ReadFile(repo.Path("examples", example, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return dir
}

func TestTheCLIRunsEveryExampleUpAndDown(t *testing.T) {
	t.Parallel()
	for _, example := range sizes.First(1, clusterExamples()) {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			cli := newCLI(t, copyOf(t, example))
			cli.run("--offline", "up", "--yes")
			cli.run("--offline", "preview", "--expect-no-changes")

			var infra documents.Infra
			require.NoError(t, json.Unmarshal([]byte(cli.run("--offline", "outputs", "--format", "infra-json")), &infra))
			require.Equal(t, "demo", infra.Name)
			require.NotEmpty(t, infra.VPCID)
			require.NotEmpty(t, infra.Zones)

			cli.run("--offline", "destroy", "--yes")
			require.Empty(t, madeIn(t, filepath.Join(cli.dir, ".hypershift-aws", "offline")))
		})
	}
}

func TestPulumiRunsEveryExampleUpAndDown(t *testing.T) {
	t.Parallel()
	for _, example := range sizes.First(1, append(clusterExamples(), "embed")) {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			p := pulumiProject(t, withProgram(t, example), state, seedsOf(t, example))
			p.init()
			p.pulumi("up", "--yes", "--skip-preview")
			p.pulumi("preview", "--expect-no-changes")
			if example != "embed" { // which has components alone, and nothing that stops a destroy
				p.pulumi("config", "set", "--path", config.ClusterKey+".unprotected", "true")
			}
			p.pulumi("destroy", "--yes", "--skip-preview", "--run-program")
			require.Empty(t, madeIn(t, filepath.Join(state, "offline")))
		})
	}
}

// The repository's own Pulumi.yaml types its config and names cmd/program.
func TestTheRepositoryIsAPulumiProject(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, "public-and-private")
	project, err := os.ReadFile(repo.Path("Pulumi.yaml"))
	require.NoError(t, err)
	root, err := filepath.Rel(dir, repo.Path())
	require.NoError(t, err)
	text := strings.Replace(string(project), "main: cmd/program", "main: "+filepath.Join(root, "cmd", "program"), 1)
	require.NotEqual(t, string(project), text)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte(text), 0o600))

	state := t.TempDir()
	p := pulumiProject(t, dir, state, seedsOf(t, "public-and-private"))
	p.init()
	p.pulumi("up", "--yes", "--skip-preview")
	p.pulumi("preview", "--expect-no-changes")
}

// withProgram creates a project whose config is a copy of the example's and whose program is the example's
// own, which needs the repository around it to build.
func withProgram(t *testing.T, example string) string {
	t.Helper()
	dir := copyOf(t, example)
	program, err := filepath.Rel(dir, repo.Path("examples", example))
	require.NoError(t, err)
	project := filepath.Join(dir, "Pulumi.yaml")
	text, err := os.ReadFile(project)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(project, append(text, "main: "+program+"\n"...), 0o600))
	return dir
}

// seedsOf returns what an example's config refers to as existing.
func seedsOf(t *testing.T, example string) []offline.Seed {
	t.Helper()
	if example == "embed" {
		return seeds()
	}
	file, err := stacks.LoadFile(repo.Path("examples", example), "demo")
	require.NoError(t, err)
	return seedsIn(file)
}

// seedsIn returns what a config refers to as existing.
func seedsIn(file *config.File) []offline.Seed {
	var found []offline.Seed
	for _, existing := range file.Existing(nil) {
		found = append(found, offline.Seed{Kind: offline.SeedKind(existing.Kind), Name: existing.Name, VPC: existing.VPC, Zone: existing.Zone, Domain: existing.Domain,
			Document: existing.Document, InstanceType: existing.InstanceType})
	}
	return found
}

// madeIn returns the resources of the offline accounts in dir that were not there to begin with.
func madeIn(t *testing.T, dir string) []offline.Resource {
	t.Helper()
	accounts, err := offline.Accounts(dir)
	require.NoError(t, err)
	require.NotEmpty(t, accounts, "no account was used")
	var made []offline.Resource
	for _, account := range accounts {
		for _, resource := range account.Resources() {
			if !resource.Seed {
				made = append(made, resource)
			}
		}
	}
	return made
}

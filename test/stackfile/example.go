package stackfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// Example returns the config of an example's stack.
func Example(t *testing.T, example string) string {
	t.Helper()
	text, err := os.ReadFile(repo.Path("examples", example, "Pulumi.demo.yaml"))
	require.NoError(t, err)
	return string(text)
}

// CopyOf copies an example's config, so that nothing is written in the repository.
func CopyOf(t *testing.T, example string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"Pulumi.yaml", "Pulumi.demo.yaml"} {
		text, err := os.ReadFile(repo.Path("examples", example, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return dir
}

// SeedsOf returns what an example's config refers to as existing.
func SeedsOf(t *testing.T, example string) []offline.Seed {
	t.Helper()
	if example == "embed" {
		return Seeds()
	}
	file, err := stacks.LoadFile(repo.Path("examples", example), "demo")
	require.NoError(t, err)
	return SeedsIn(file)
}

// SeedsIn returns what a config refers to as existing.
func SeedsIn(file *config.File) []offline.Seed {
	var found []offline.Seed
	providers := file.NamedProviderSettings()
	for _, existing := range file.Existing(nil) {
		account := ""
		if existing.Provider != "" {
			account, _ = offline.AccountOf(providers[existing.Provider])
		}
		found = append(found, offline.Seed{Kind: offline.SeedKind(existing.Kind), Name: existing.Name, VPC: existing.VPC,
			Zone: existing.Zone, Domain: existing.Domain,
			Document: existing.Document, InstanceType: existing.InstanceType,
			Account: account, Region: existing.Region, LoadBalancer: existing.LoadBalancer})
	}
	return found
}

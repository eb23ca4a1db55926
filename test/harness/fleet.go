package harness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// FleetStacks returns the stacks of the fleet in the order in which they are created.
func FleetStacks() []string { return []string{"management", "east", "west"} }

// NewFleet returns the CLI in a copy of the example.
func NewFleet(t *testing.T) *CLI {
	t.Helper()
	dir := t.TempDir()
	names := []string{"Pulumi.yaml"}
	for _, stack := range FleetStacks() {
		names = append(names, config.FileName(stack))
	}
	for _, name := range names {
		text, err := os.ReadFile(repo.Path("examples", "fleet", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return NewCLI(t, dir)
}

// Settled returns the resources in the file of a stack's state, which has no operation in progress.
func Settled(t *testing.T, text []byte) []apitype.ResourceV3 {
	t.Helper()
	var file struct {
		Checkpoint struct {
			Latest struct {
				Resources         []apitype.ResourceV3
				PendingOperations []json.RawMessage `json:"pending_operations"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.Empty(t, file.Checkpoint.Latest.PendingOperations, "operations in progress")
	return file.Checkpoint.Latest.Resources
}

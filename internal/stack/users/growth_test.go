package users

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkUsersOfAStack finds who uses a stack, among the states of complete clusters: a management stack, whose name
// all of them have, and a cluster, as each of a fleet asks before it is deleted.
func BenchmarkUsersOfAStack(b *testing.B) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "test", "lives", "testdata", "states", "cluster",
		"state.json"))
	require.NoError(b, err)
	text = bytes.Replace(text, []byte(`"deployment": {`), []byte(`"checkpoint": {"latest": {`), 1)
	text = append(bytes.TrimSpace(text), '}')
	for _, stacks := range []int{100, 1000} {
		for _, name := range []string{"management", "blue"} {
			benchmarkUsers(b, name, stacks, text)
		}
	}
}

func benchmarkUsers(b *testing.B, name string, stacks int, text []byte) {
	b.Helper()
	b.Run(fmt.Sprintf("%s among %d stacks", name, stacks), func(b *testing.B) {
		s := inBackend(b, nil)
		stack := s.Stack(name, nil)
		stack.State, stack.StateRead = stateWith(map[string]any{"kind": "management"}), true
		folder := filepath.Join(stack.Backend.Folder(), ".pulumi", "stacks", "hypershift-aws")
		require.NoError(b, os.MkdirAll(folder, 0o700))
		for i := range stacks {
			require.NoError(b, os.WriteFile(filepath.Join(folder, fmt.Sprintf("dev-%d.json", i)), text, 0o600))
		}
		b.ReportAllocs()
		for b.Loop() {
			found, err := find(b.Context(), stack)
			require.NoError(b, err)
			require.Empty(b, found)
		}
	})
}

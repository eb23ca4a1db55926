package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheGeneratedFilesAreUpToDate(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	files, err := generate(root)
	require.NoError(t, err)
	for path, want := range files {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		require.Equal(t, string(want), string(text), "%s is stale: run `make generate`", path)
	}
}

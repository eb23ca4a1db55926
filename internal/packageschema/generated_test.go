package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheSchemaIsUpToDate(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	want, err := generate(root)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, schemaPath))
	require.NoError(t, err)
	require.Equal(t, string(want), string(text), "%s is stale: run `make generate`", schemaPath)
}

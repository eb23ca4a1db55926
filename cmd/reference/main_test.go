package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryCommandHasAManualPage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man")
	require.NoError(t, write([]string{"man", dir}, "1700000000"))
	for _, page := range []string{"hypershift-aws.1", "hypershift-aws-up.1", "hypershift-aws-fleet-up.1",
		"hypershift-aws-destroy.1"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		require.NoError(t, err)
		require.Contains(t, string(text), "Nov 2023")
	}
	require.ErrorContains(t, write([]string{"man", dir}, "today"), "SOURCE_DATE_EPOCH")
	require.Error(t, write(nil, "0"))
	require.Error(t, write([]string{"html", dir}, "0"))
}

// TestThePagesOfCommandsAreUpToDate fails if a command's help and its page in docs/commands differ, and if a page has
// no command.
func TestThePagesOfCommandsAreUpToDate(t *testing.T) {
	t.Parallel()
	const committed = "../../docs/commands"
	dir := t.TempDir()
	require.NoError(t, write([]string{"markdown", dir}, ""))
	pages, err := filepath.Glob(filepath.Join(dir, "*.md"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 40)
	names := []string{"README.md"}
	for _, page := range pages {
		want, err := os.ReadFile(page)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(committed, filepath.Base(page)))
		require.NoError(t, err, "run `make generate`")
		assert.Equal(t, string(want), string(got), "%s: run `make generate`", filepath.Base(page))
		names = append(names, filepath.Base(page))
	}
	entries, err := os.ReadDir(committed)
	require.NoError(t, err)
	for _, entry := range entries {
		assert.Contains(t, names, entry.Name(), "a page without a command: delete it")
	}
}

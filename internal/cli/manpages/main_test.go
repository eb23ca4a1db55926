package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCommandHasAManualPage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man")
	require.NoError(t, write([]string{dir}, "1700000000"))
	for _, page := range []string{"hypershift-aws.1", "hypershift-aws-up.1", "hypershift-aws-fleet-up.1", "hypershift-aws-destroy.1"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		require.NoError(t, err)
		require.Contains(t, string(text), "Nov 2023")
	}
	require.ErrorContains(t, write([]string{dir}, "today"), "SOURCE_DATE_EPOCH")
	require.Error(t, write(nil, "0"))
}

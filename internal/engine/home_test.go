package engine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAHomeWithoutLogsKeepsTheLogsThatItHad(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	require.NoError(t, HomeWithoutLogs(home))
	require.FileExists(t, filepath.Join(home, "logs"))
	require.NoError(t, HomeWithoutLogs(home), "again")

	used := t.TempDir()
	kept := filepath.Join(used, "logs", "pulumi.log")
	require.NoError(t, os.Mkdir(filepath.Dir(kept), 0o700))
	require.NoError(t, os.WriteFile(kept, nil, 0o600))
	require.NoError(t, HomeWithoutLogs(used))
	require.FileExists(t, kept)
}

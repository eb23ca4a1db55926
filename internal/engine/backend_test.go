package engine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATemporaryBackendDoesNotOutliveItsUse(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "copies")
	require.NoError(t, RemoveAbandoned(dir), "there are none")
	used, remove, err := TemporaryBackend(dir)
	require.NoError(t, err)
	info, err := os.Stat(used.Folder())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	abandoned := filepath.Join(dir, "copy-1") // its process was killed
	require.NoError(t, os.Mkdir(abandoned, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(abandoned, "state.json"), []byte("{}"), 0o600))
	foreign := filepath.Join(dir, "notes")
	require.NoError(t, os.Mkdir(foreign, 0o700))

	require.NoError(t, RemoveAbandoned(dir))
	require.NoDirExists(t, abandoned)
	require.DirExists(t, foreign, "this program did not make it")
	require.DirExists(t, used.Folder(), "it is in use")
	remove()
	require.NoDirExists(t, used.Folder())
}

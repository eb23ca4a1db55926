package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func requireMode(t *testing.T, want fs.FileMode, path string) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, want, info.Mode().Perm(), path)
}

func TestAFileInAPrivateFolderIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "own")
	require.NoError(t, MakePrivateDir(own))
	dir := filepath.Join(own, "work", "dev")
	require.NoError(t, MakeDir(dir))
	requireMode(t, 0o700, dir)
	requireMode(t, 0o700, filepath.Dir(dir))

	file := filepath.Join(dir, "file")
	require.NoError(t, Write(file, []byte("one")))
	requireMode(t, 0o600, file)
	for _, content := range []string{"one", "two"} {
		require.NoError(t, os.Chmod(file, 0o644))
		require.NoError(t, Write(file, []byte(content)))
		requireMode(t, 0o600, file)
	}
	require.NoError(t, Create(filepath.Join(dir, "new"), nil))
	requireMode(t, 0o600, filepath.Join(dir, "new"))
	require.ErrorIs(t, Create(filepath.Join(dir, "new"), nil), fs.ErrExist)
}

func TestAFileInASharedFolderKeepsItsMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o775))
	file := filepath.Join(dir, "file")
	require.NoError(t, Write(file, []byte("one")))
	requireMode(t, 0o644, file)
	require.NoError(t, os.Chmod(file, 0o664))
	require.NoError(t, Write(file, []byte("two")))
	requireMode(t, 0o664, file)
	require.NoError(t, WritePrivate(file, []byte("two")))
	requireMode(t, 0o600, file)
	requireMode(t, 0o775, dir)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file")
}

func TestAFolderOfAnEarlierVersionBecomesPrivate(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "own")
	require.NoError(t, os.MkdirAll(filepath.Join(own, "policies", "bin"), 0o755))
	program := filepath.Join(own, "policies", "bin", "program")
	require.NoError(t, os.WriteFile(program, nil, 0o755))
	file := filepath.Join(own, "state.json")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.NoError(t, os.Symlink("/nowhere", filepath.Join(own, "link")))
	require.NoError(t, MakePrivateDir(own))
	requireMode(t, 0o700, own)
	requireMode(t, 0o700, filepath.Dir(program))
	requireMode(t, 0o700, program)
	requireMode(t, 0o600, file)
}

func TestAVolatileFileIsReplacedAndItsOwnersAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("one"), 0o644))
	require.NoError(t, WriteVolatile(file, []byte("two")))
	requireMode(t, 0o600, file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "two", string(text))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file")
}

package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFileOfDifferencesIsAsGoodAsTheWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base := "a / role x\n    path: 1\na / role y\n    path: 2\na / role z\n"
	other := "a / role w\na / role x\n    path: 3\na / role z\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "base.txt"), []byte(base), 0o600))
	kept := differences("base.txt", base, other)
	require.Equal(t, "like base.txt\na / role w\na / role x\n    path: 3\nwithout a / role y\n", kept)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other.txt"), []byte(kept), 0o600))
	require.ElementsMatch(t, blocks(other), blocks(Read(t, filepath.Join(dir, "other.txt"))))
	RequireLike(t, filepath.Join(dir, "other.txt"), "base.txt", other)
	require.NotEqual(t, kept, differences("base.txt", base, base), "a block as in the base")
}

package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

type line struct {
	Op string `json:"op"`
}

func TestAnIncompleteLineIsSkippedAndDamagesNoOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "own", "journal.jsonl")
	lines, err := Lines[line](path)
	require.NoError(t, err)
	require.Empty(t, lines)

	require.NoError(t, AppendLine(path, line{"one"}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "{\"op\":\"one\"}\n", string(text))
	require.NoError(t, os.WriteFile(path, append(text, `{"op":"tw`...), 0o600))
	require.NoError(t, AppendSyncedLine(path, line{"three"}))
	lines, err = Lines[line](path)
	require.NoError(t, err)
	require.Equal(t, []line{{"one"}, {"three"}}, lines)
}

func TestAJournalIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "own", "journal.jsonl")
	require.NoError(t, AppendLine(path, line{"one"}))
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700 | fs.ModeDir} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, want, info.Mode(), name)
	}
	require.NoError(t, Remove(path))
	require.NoError(t, Remove(path))
	require.NoFileExists(t, path)
}

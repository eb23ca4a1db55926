// Package golden compares what a test produces with files that the repository keeps. The flag -update writes them: go
// test ./components/network -update.
package golden

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// Updates reports whether the files are written instead of compared.
func Updates() bool { return *update }

// Require compares got with a file, line by line.
func Require(t *testing.T, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if *update {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			require.NoError(t, err)
		}
		if string(want) != got || err != nil {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		return
	}
	require.NoError(t, err)
	if difference := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); difference != "" {
		require.Failf(t, "differs from "+path, "read why, then run this test with -update (- file, + test):\n%s", difference)
	}
}

// RequireSection compares got with the part of a file between two texts.
func RequireSection(t *testing.T, path, begin, end, got string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found, "%s has no %q", path, begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, "%s has no %q", path, end)
	Require(t, path, before+begin+got+end+after)
}

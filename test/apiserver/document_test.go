package apiserver

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each row of the table of confirmed promises names tests that exist.
func TestThePromisesOfTheOfflineAccountNameTheirTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "test", "ledgers", "conformance.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "## Who confirmed what the offline account promises")
	require.True(t, found)
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range declared.FindAllStringSubmatch(string(text), -1) {
			tests[match[1]] = true
		}
		return err
	}))
	named := regexp.MustCompile("`(Test\\w+)`")
	rows := 0
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise |") {
			continue
		}
		rows++
		names := named.FindAllStringSubmatch(line, -1)
		require.NotEmpty(t, names, line)
		for _, name := range names {
			require.True(t, tests[name[1]], "%s does not exist", name[1])
		}
	}
	require.Greater(t, rows, 10)
}

package page_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// TestEachPromiseAboutNetworksNamesTheTestThatHoldsIt looks up what the rows of test/ledgers/networks.md name.
func TestEachPromiseAboutNetworksNamesTheTestThatHoldsIt(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(repo.Path("test", "ledgers", "networks.md"))
	require.NoError(t, err)
	unit := regexp.MustCompile("^`([^`]+)`: `(Test\\w+)`$")
	session := regexp.MustCompile("^`([^`]+\\.txtar)`$")
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 3 || cells[0] == " promise" {
			continue
		}
		rows++
		held := strings.TrimSpace(cells[1])
		if is := session.FindStringSubmatch(held); is != nil {
			require.FileExists(t, repo.Path(filepath.FromSlash(is[1])), line)
			continue
		}
		is := unit.FindStringSubmatch(held)
		require.NotNil(t, is, line)
		files, err := filepath.Glob(filepath.Join(repo.Path(filepath.FromSlash(is[1])), "*_test.go"))
		require.NoError(t, err)
		defined := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			defined = defined || strings.Contains(string(source), "\nfunc "+is[2]+"(t *testing.T)")
		}
		require.True(t, defined, line)
	}
	require.Greater(t, rows, 40)
}

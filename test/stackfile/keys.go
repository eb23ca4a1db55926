package stackfile

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// CutLast returns a path without its last part, and the part.
func CutLast(path string) (before, last string) {
	at := strings.LastIndex(path, ".")
	if at < 0 {
		return "", path
	}
	return path[:at], path[at+1:]
}

// DocumentedKeys returns the keys of the config, with those of the items of lists, from the reference, which is
// generated.
func DocumentedKeys(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(repo.Path("docs", "config.md"))
	require.NoError(t, err)
	var keys []string
	for _, match := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		keys = append(keys, match[1])
	}
	return keys
}

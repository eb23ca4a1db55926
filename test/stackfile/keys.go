package stackfile

import (
	"os"
	"regexp"
	"slices"
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
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (list )?.*?(?:Its keys are those of \\[`([^`]+)`\\]\\(#\\w+\\)\\. )?\\|$")
	for _, match := range row.FindAllStringSubmatch(string(text), -1) {
		key, list, former := match[1], match[2], match[3]
		keys = append(keys, key)
		if former == "" {
			continue
		}
		if list != "" {
			key += "[]"
		}
		for _, listed := range slices.Clone(keys) {
			if rest, below := strings.CutPrefix(listed, former+"."); below {
				keys = append(keys, key+"."+rest)
			}
		}
	}
	return keys
}

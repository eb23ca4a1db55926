package awsrequest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoPaginatorGetsAWholeClient(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`\bNew\w+Paginator\((\S*)`)
	found := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range call.FindAllStringSubmatch(string(text), -1) {
			found++
			require.Regexp(t, `^awsrequest\.`, match[1], "%s: %s", path, match[0])
		}
		return err
	})
	require.NoError(t, err)
	require.Positive(t, found)
}

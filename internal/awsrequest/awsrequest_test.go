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
	found := 0
	eachFile(t, func(path, text string) {
		for _, match := range regexp.MustCompile(`\bNew\w+Paginator\((\S*)`).FindAllStringSubmatch(text, -1) {
			found++
			require.Regexp(t, `^awsrequest\.`, match[1], "%s: %s", path, match[0])
		}
	})
	require.Positive(t, found)
}

// The types of the fields of a struct that is converted to an interface are kept like the struct.
func TestNoAccountHasAFieldOfClients(t *testing.T) {
	t.Parallel()
	eachFile(t, func(path, text string) {
		require.NotRegexp(t, `(?m)^\t\w+ +\*clients$`, text, path)
	})
}

// eachFile calls check with each file of the packages beside this one, without tests.
func eachFile(t *testing.T, check func(path, text string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		check(path, string(text))
		return err
	}))
}

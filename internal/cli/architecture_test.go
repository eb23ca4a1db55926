package cli

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documentedPackages returns the folders in the table of docs/architecture.md. In a row, a name without a folder is beside the one before
// it.
func documentedPackages(t *testing.T) []string {
	t.Helper()
	var names []string
	for line := range strings.Lines(pages(t)["docs/architecture.md"]) {
		cells := strings.Split(line, "|")
		if !strings.HasPrefix(line, "| `") || len(cells) < 3 {
			continue
		}
		folder := "."
		for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			name := match[1]
			if !strings.Contains(name, "/") {
				name = path.Join(folder, name)
			}
			folder = path.Dir(name)
			names = append(names, name)
		}
	}
	require.NotEmpty(t, names)
	return names
}

// packages counts the Go files of each folder of the program that are not tests.
func packages(t *testing.T) map[string]int {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	files := map[string]int{}
	for _, top := range []string{"cmd", "components", "internal", "plugin", "stacks", "test"} {
		require.NoError(t, fs.WalkDir(root, top, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == "testdata" {
				return fs.SkipDir
			}
			if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				files[path.Dir(name)]++
			}
			return err
		}))
	}
	return files
}

func TestTheTableOfTheArchitectureHasEveryPackage(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	for _, name := range documentedPackages(t) {
		_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(name)))
		assert.NoError(t, err, "docs/architecture.md names a folder that is not there")
		documented[name] = true
	}
	for name := range packages(t) {
		top := strings.Split(name, "/")
		if top[0] == "test" {
			continue
		}
		found := false
		for i := range top {
			found = found || documented[strings.Join(top[:i+1], "/")]
		}
		assert.True(t, found, "%s is in no row of docs/architecture.md", name)
	}
}

func TestEveryInternalPackageHasARuleForItsImports(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile(filepath.Join("..", "..", ".golangci.yml"))
	require.NoError(t, err)
	for name := range packages(t) {
		parts := strings.Split(name, "/")
		if parts[0] != "internal" || name == "internal/cli" { // nothing but cmd is above internal/cli
			continue
		}
		ruled := false
		for i := range parts[1:] {
			ruled = ruled || strings.Contains(string(rules), `"**/`+strings.Join(parts[:i+2], "/")+`/**"`)
		}
		assert.True(t, ruled, "%s is in no rule of depguard in .golangci.yml", name)
	}
}

func TestNoPackageHasMoreThan25Files(t *testing.T) {
	t.Parallel()
	for name, files := range packages(t) {
		assert.LessOrEqual(t, files, 25, "%s: split it by concern", name)
	}
}

// TestTheTestsNamedInTheMakefileAndTheDocumentsExist finds patterns of `go test -run` that match nothing, which go test does not report.
func TestTheTestsNamedInTheMakefileAndTheDocumentsExist(t *testing.T) {
	t.Parallel()
	root := os.DirFS(filepath.Join("..", ".."))
	declaration := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	var declared []string
	require.NoError(t, fs.WalkDir(root, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		for _, match := range declaration.FindAllStringSubmatch(string(text), -1) {
			declared = append(declared, match[1])
		}
		return err
	}))
	files, err := fs.Glob(root, "docs/*.md")
	require.NoError(t, err)
	named := 0
	for _, file := range append(files, "Makefile", "README.md") {
		text, err := fs.ReadFile(root, file)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+`).FindAllString(string(text), -1) {
			named++
			require.True(t, slices.ContainsFunc(declared, func(test string) bool { return strings.HasPrefix(test, name) }), "%s names %s", file, name)
		}
	}
	require.Greater(t, named, 20)
}

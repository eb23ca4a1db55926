package cli

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// apiFile has the API of the public packages, a line per name, field and method.
var apiFile = filepath.Join("testdata", "api.txt")

// apiOf lists what other modules can use of a package.
func apiOf(path string, pkg *types.Package) []string {
	var lines []string
	add := func(name string, t types.Type) {
		text := types.TypeString(t, func(other *types.Package) string { return other.Name() })
		lines = append(lines, fmt.Sprintf("%s.%s %s", path, name, text))
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		declared, isType := object.(*types.TypeName)
		named, isNamed := object.Type().(*types.Named)
		switch structure, isStruct := object.Type().Underlying().(*types.Struct); {
		case !isType || !isNamed:
			add(name, object.Type())
		case isStruct:
			for field := range structure.Fields() {
				if field.Exported() {
					add(declared.Name()+"."+field.Name(), field.Type())
				}
			}
		default:
			add(name, named.Underlying())
		}
		if !isType || !isNamed {
			continue
		}
		for method := range named.Methods() {
			if method.Exported() {
				add(declared.Name()+"."+method.Name(), method.Type())
			}
		}
	}
	return lines
}

// unlisted returns the lines of an API that another one lacks, and whose last name the unreleased part of a changelog does not have. For a removed
// package or type its own name is enough; that of a package is its path.
func unlisted(before, now []string, changelog string) []string {
	_, unreleased, _ := strings.Cut(changelog, "\n## Unreleased\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	lists := func(name string) bool {
		if !strings.Contains(name, "/") {
			name = name[strings.LastIndex(name, ".")+1:]
		}
		return regexp.MustCompile(`[^/\w]` + regexp.QuoteMeta(name) + `\b`).MatchString(unreleased)
	}
	removed := func(name string) bool {
		return !slices.ContainsFunc(now, func(line string) bool { return strings.HasPrefix(line, name+".") })
	}
	return slices.DeleteFunc(slices.Clone(before), func(line string) bool {
		name, _, _ := strings.Cut(line, " ")
		folder := strings.LastIndex(name, "/") + 1
		pkg, rest, _ := strings.Cut(name[folder:], ".")
		pkg = name[:folder] + pkg
		declared, _, isMember := strings.Cut(rest, ".")
		return slices.Contains(now, line) || lists(rest) || removed(pkg) && lists(pkg) || isMember && removed(pkg+"."+declared) && lists(declared)
	})
}

// An incompatible change of the API is listed in CHANGELOG.md. With -update the file is written again, after that.
func TestAnIncompatibleChangeOfTheAPIIsInTheChangelog(t *testing.T) {
	t.Parallel()
	packages := publicPackages(t)
	var now []string
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		now = append(now, apiOf(path, packages[path])...)
	}
	changelog, err := os.ReadFile(filepath.Join("..", "..", "CHANGELOG.md"))
	require.NoError(t, err)
	if before, err := os.ReadFile(apiFile); err == nil {
		lines := unlisted(strings.Split(strings.TrimSpace(string(before)), "\n"), now, string(changelog))
		require.Empty(t, lines, "list these incompatible changes in the unreleased part of CHANGELOG.md, and then run this test with -update")
	}
	golden.Require(t, apiFile, strings.Join(now, "\n")+"\n")
}

func TestAnUnlistedChangeOfTheAPIIsFound(t *testing.T) {
	t.Parallel()
	before, now := []string{"automation.Open func()", "automation.Stack.Up func()", "automation.Close func()"}, []string{"automation.Open func() error", "automation.Close func()"}
	changelog := "# Changelog\n\n## Unreleased\n\n- `Open` returns an error.\n\n## v0.1.0\n\n- `Up` is new.\n"
	assert.Equal(t, []string{"automation.Stack.Up func()"}, unlisted(before, now, changelog))
	removed := "# Changelog\n\n## Unreleased\n\n- `components/crd` and `Field` are removed.\n"
	before = []string{"components/crd.Set struct{}", "components/capa/crd.Set struct{}", "automation.Field.Key string", "automation.Kept.Key string"}
	assert.Equal(t, []string{before[1], before[3]}, unlisted(before, now, removed))
}

package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/exp/apidiff"

	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// apiFile has the API of the public packages, a line per name, field and method.
var apiFile = filepath.Join("testdata", "api.txt")

// apiOf lists what other modules can use of a package, in the order of the names.
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
	return slices.Sorted(slices.Values(lines))
}

// unreleased returns the part of a changelog about what came after a release, "" for the last one that it has.
func unreleased(changelog, release string) string {
	if i := regexp.MustCompile(`(?m)^## (Unreleased|v)`).FindStringIndex(changelog); i != nil {
		changelog = changelog[i[1]:]
	}
	since, _, _ := strings.Cut(changelog, "\n## "+release)
	return since
}

// lists reports whether a part of a changelog has a name in backquotes: `automation.Stack.Up`, `api/fault.Fault`, or
// `components/crd` for a package.
func lists(part, name string) bool { return strings.Contains(part, "`"+name+"`") }

// unlisted returns the lines of an API that another one lacks, and whose names a part of a changelog does not list. For
// what a removed package or type had, its name is enough.
func unlisted(before, now []string, part string) []string {
	removed := func(name string) bool {
		return !slices.ContainsFunc(now, func(line string) bool { return strings.HasPrefix(line, name+".") })
	}
	return slices.DeleteFunc(slices.Clone(before), func(line string) bool {
		name, _, _ := strings.Cut(line, " ")
		found := slices.Contains(now, line) || lists(part, name)
		for i := strings.LastIndex(name, "."); i > strings.LastIndex(name,
			"/") && !found; i = strings.LastIndex(name[:i], ".") {
			found = removed(name[:i]) && lists(part, name[:i])
		}
		return found
	})
}

// incompatible returns the incompatible changes between two APIs, by the names of what changed.
func incompatible(before, now map[string]*types.Package) map[string]string {
	of := func(packages map[string]*types.Package) *apidiff.Module {
		return &apidiff.Module{Path: strings.TrimSuffix(module, "/"), Packages: slices.Collect(maps.Values(packages))}
	}
	changes := map[string]string{}
	for _, change := range apidiff.ModuleChanges(of(before), of(now)).Changes {
		if name, what, _ := strings.Cut(change.Message, ": "); !change.Compatible {
			changes[strings.NewReplacer("package "+module, "", "./", "", "(*", "", ")", "").Replace(name)] = what
		}
	}
	return changes
}

// lastRelease returns the last release that the repository in root has a tag of, and its public packages; "" before the
// first.
func lastRelease(t *testing.T, root string) (tag string, packages map[string]*types.Package) {
	t.Helper()
	found, err := exec.Command("git", "-C", root, "describe", "--tags", "--abbrev=0", "--match", "v*").Output()
	if tag = strings.TrimSpace(string(found)); err != nil {
		return "", nil
	}
	dir := t.TempDir()
	output, err := exec.Command("sh", "-c", `git -C "$0" archive "$1" | tar -x -C "$2"`, root, tag, dir).CombinedOutput()
	require.NoError(t, err, string(output))
	packages, err = publicPackagesOf(dir)
	require.NoError(t, err)
	return tag, packages
}

// An incompatible change of the API since the last release is listed in CHANGELOG.md. Until a release has a tag, the
// file is the former API: with -update it is written again, after that.
func TestAnIncompatibleChangeOfTheAPIIsInTheChangelog(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	packages := publicPackages(t)
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	require.NoError(t, err)
	if tag, released := lastRelease(t, root); tag != "" {
		for name, what := range incompatible(released, packages) {
			assert.True(t, lists(unreleased(string(changelog), tag), name),
				"list `%s` in the unreleased part of CHANGELOG.md: %s", name, what)
		}
		return
	}
	var now []string
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		now = append(now, apiOf(path, packages[path])...)
	}
	if before, err := os.ReadFile(apiFile); err == nil {
		lines := unlisted(strings.Split(strings.TrimSpace(string(before)), "\n"), now, unreleased(string(changelog), ""))
		require.Empty(t, lines, "list these names in backquotes in the unreleased part of CHANGELOG.md, and then run this test with -update")
	}
	golden.Require(t, apiFile, strings.Join(now, "\n")+"\n")
}

func TestAnUnlistedChangeOfTheAPIIsFound(t *testing.T) {
	t.Parallel()
	before, now := []string{"automation.Open func()", "automation.Stack.Up func()", "automation.Close func()"},
		[]string{"automation.Open func() error", "automation.Close func()"}
	changelog := "# Changelog\n\n`automation` is public.\n\n## Unreleased\n\n- `automation.Open` returns an error, unlike `Up`.\n\n## v0.1.0\n\n- `automation.Stack.Up` is new.\n"
	assert.Equal(t, []string{"automation.Stack.Up func()"}, unlisted(before, now, unreleased(changelog, "")))
	assert.Empty(t, unlisted(before, now, unreleased(changelog, "v0.0.1")))
	removed := "`components/crd` and `automation.Field` are removed."
	before = []string{"components/crd.Set struct{}", "components/capa/crd.Set struct{}", "automation.Field.Key string",
		"automation.Kept.Key string"}
	assert.Equal(t, []string{before[1], before[3]}, unlisted(before, now, removed))
}

func TestChangesSinceAReleaseHaveTheNamesThatTheChangelogLists(t *testing.T) {
	t.Parallel()
	check := func(text string) map[string]*types.Package {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "a.go", "package automation\n"+text, 0)
		require.NoError(t, err)
		checked, err := (&types.Config{}).Check(module+"automation", files, []*ast.File{file}, nil)
		require.NoError(t, err)
		return map[string]*types.Package{"automation": checked}
	}
	before := check("type Stack struct { Name string }; func (Stack) Up() {}; func (*Stack) Down() {}; const Limit = 1; type Event interface { Text() string }")
	before["components/crd"] = types.NewPackage(module+"components/crd", "crd")
	now := check("type Stack struct { Name int; More bool }; func (*Stack) Up() {}; const Limit = 2; type Event interface { Text() string; Time() int }")
	changed := slices.Sorted(maps.Keys(incompatible(before, now)))
	assert.Equal(t, []string{"automation.Event.Time", "automation.Limit", "automation.Stack.Down", "automation.Stack.Name",
		"automation.Stack.Up", "components/crd"}, changed)
}

func TestTheLastReleaseIsReadFromItsTag(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	git := func(args ...string) {
		command := exec.Command("git", append([]string{"-C", root, "-c", "user.name=test", "-c",
			"user.email=test@example.com"}, args...)...)
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		output, err := command.CombinedOutput()
		require.NoError(t, err, string(output))
	}
	commit := func(api string) {
		write("automation/automation.go", "package automation\n\n"+api+"\n")
		git("add", ".")
		git("commit", "--message", "change")
	}
	git("init")
	write("go.mod", "module "+strings.TrimSuffix(module, "/")+"\n\ngo 1.26\n")
	commit("func Open() {}")
	tag, _ := lastRelease(t, root)
	require.Empty(t, tag)
	git("tag", "v0.1.0")
	git("tag", "sdk/go/v0.1.0") // that of another module
	commit("func Open() error { return nil }\n\nfunc Close() {}")
	tag, released := lastRelease(t, root)
	require.Equal(t, "v0.1.0", tag)
	now, err := publicPackagesOf(root)
	require.NoError(t, err)
	changed := incompatible(released, now)
	require.Len(t, changed, 1)
	require.Equal(t, "changed from func() to func() error", changed["automation.Open"])
}

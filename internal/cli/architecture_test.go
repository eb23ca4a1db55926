package cli

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/hypershift-aws/hypershift-aws/"

// rooms are the folders whose packages belong together, from the top down. A package imports its own room and those
// below.
var rooms = []string{
	"cmd", "internal/cli internal/features/*/cmd " +
		"internal/features/pods/image internal/features/pods/languagehost internal/features/pods/pulumishim",
	"automation",
	"internal/features", "internal/run", "program", "plugin", "internal/stack internal/cluster", "internal/plan",
	"internal/engine", "internal/offline", "internal/schema", "internal/aws", "internal/gate", "stacks", "components",
	"internal/value", "api",
}

// limits are imports that are refused although they go down, each with its exceptions.
var limits = []struct{ packages, refused, except string }{
	// Who embeds them gets no engine, no client of Kubernetes and no commands.
	{"components stacks", "internal " + automationAPI + " k8s.io/client-go", "internal/value"},
	// The objects of the Pulumi Kubernetes Operator follow from stack files alone.
	{"internal/features/pods/pko", "internal", "internal/value internal/stack/rights"},
	// What judges the components is not built from them.
	{"internal/offline", "components stacks", "components/iam/policy"},
	{"internal/offline/kubernetes", "internal/offline/aws", ""},
	// They work on files, states and accounts, which are real or offline.
	{"internal/cluster/kubeapi internal/cluster/clusterstatus", automationAPI, ""},
	// The commands of a feature know what commands share, and no command of the core.
	{"internal/features/*/cmd", "internal/cli", "internal/cli/invocation internal/cli/view"},
}

// closures are packages that others must not need, not even through what they import: who embeds them downloads and
// compiles all of it.
var closures = []struct{ packages, refused, except string }{
	{"components/network", "components/iam", "components/iam/policy"},
	// A program has the engine around it, and its backend. It reads one management cluster.
	{"program plugin", automationAPI + " gocloud.dev github.com/aws/aws-sdk-go-v2/service internal/engine internal/aws/account internal/features",
		"internal/engine/proc internal/engine/state"},
	{"plugin", "k8s.io/client-go internal/cluster internal/stack", ""},
	// What every operation runs needs no feature.
	{"internal/run internal/stack internal/cluster internal/plan internal/engine internal/aws internal/gate", "internal/features", ""},
}

// reserved are packages that only some may import. Text and flags are the CLI's. Every connection to a management
// cluster is to the target that an operation has bound, or to the one that a program has compared with its stack's.
var reserved = []struct{ imported, only string }{
	{"github.com/spf13/cobra", "cmd internal/cli internal/features/*/cmd"},
	{"internal/features/*/cmd", "cmd"},
	// Nothing else changes when a feature is removed: `make separable` tries it.
	{"internal/features", "automation cmd internal/features"},
	{"k8s.io/client-go", "internal/cluster/kubeapi internal/cluster/kubeconfig"},
	{"internal/cluster/kubeconfig", "internal/cluster internal/stack internal/run internal/features/sandbox"},
	{"internal/cluster/kubeapi", "internal/cluster internal/stack internal/run/environment internal/features/relocate internal/features/sandbox program"},
	{"internal/stack/binding", "automation internal/stack internal/run internal/features program"},
}

const automationAPI = "github.com/pulumi/pulumi/sdk/v3/go/auto"

// within reports whether a package is one of the folders or in one of them. A * in a folder is any name.
func within(name, folders string) bool {
	return slices.ContainsFunc(strings.Fields(folders), func(folder string) bool {
		parts, depth := strings.Split(name, "/"), strings.Count(folder, "/")+1
		matched, err := path.Match(folder, strings.Join(parts[:min(depth, len(parts))], "/"))
		return err == nil && matched
	})
}

// roomOf returns the index of a package's room, -1 for a package of another module.
func roomOf(name string) int {
	return slices.IndexFunc(rooms, func(room string) bool { return within(name, room) })
}

// mayImport reports whether a package may import another one. The types of the API are plain data: they import the
// standard library, and the engine's own form of a resource.
func mayImport(importer, imported string) bool {
	if within(importer, "api") && strings.Contains(imported,
		".") && !within(imported, "github.com/pulumi/pulumi/sdk/v3/go/common/apitype") {
		return false
	}
	for _, l := range limits {
		if within(importer, l.packages) && within(imported, l.refused) && !within(imported, l.except) {
			return false
		}
	}
	for _, r := range reserved {
		if within(imported, r.imported) && !within(importer, r.only) {
			return false
		}
	}
	return roomOf(imported) < 0 || roomOf(importer) <= roomOf(imported)
}

// listedPackage is what `go list` says of a package; paths of this module are without its name.
type listedPackage struct {
	ImportPath, Name, Dir string
	GoFiles, Imports      []string
	// Deps are all packages that it needs, even through others.
	Deps []string
}

// tree are the packages of this module. They are listed once.
var tree = sync.OnceValues(func() (packages []listedPackage, err error) {
	command := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles,Imports,Deps", "./...")
	command.Dir = filepath.Join("..", "..")
	output, err := command.Output()
	if err != nil {
		return nil, err
	}
	output = bytes.ReplaceAll(output, []byte(`"`+module), []byte(`"`))
	for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
		var p listedPackage
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
})

// listed returns the packages of this module that have files without tests.
func listed(t *testing.T) []listedPackage {
	t.Helper()
	packages, err := tree()
	require.NoError(t, err)
	return slices.DeleteFunc(slices.Clone(packages), func(p listedPackage) bool { return len(p.GoFiles) == 0 })
}

// floors returns how many rooms stand above each other at most.
func floors(between map[[2]int]bool) int {
	floor, highest := make([]int, len(rooms)), 1
	for i := len(rooms) - 1; i >= 0; i-- {
		floor[i] = 1
		for edge := range between {
			if edge[0] == i {
				floor[i] = max(floor[i], floor[edge[1]]+1)
			}
		}
		highest = max(highest, floor[i])
	}
	return highest
}

// With -v it prints the number of rooms, of floors, and of the imports between rooms.
func TestEachPackageImportsItsRoomAndThoseBelow(t *testing.T) {
	t.Parallel()
	between := map[[2]int]bool{}
	for _, p := range listed(t) {
		if within(p.ImportPath, "test examples") {
			continue
		}
		assert.GreaterOrEqual(t, roomOf(p.ImportPath), 0, "%s is in no room", p.ImportPath)
		for _, imported := range p.Imports {
			if from, to := roomOf(p.ImportPath), roomOf(imported); to > from {
				between[[2]int{from, to}] = true
			}
			assert.True(t, mayImport(p.ImportPath, imported), "%s imports %s", p.ImportPath, imported)
		}
	}
	t.Logf("%d rooms, %d floors, %d imports between rooms", len(rooms), floors(between), len(between))
	assert.False(t, mayImport("api/event", "github.com/spf13/cobra"), "a type of the API")
	assert.False(t, mayImport("internal/plan", "automation"), "an import upward")
	assert.False(t, mayImport("components/network", "internal/gate"), "a limit")
	assert.False(t, mayImport("internal/cli/operate", "internal/stack/binding"), "a target that no operation has bound")
	assert.False(t, mayImport("internal/run", "github.com/spf13/cobra"), "a command outside the CLI")
	assert.False(t, mayImport("internal/features/sweep/cmd", "internal/cli/operate"), "a command of the core")
	assert.False(t, mayImport("internal/cli/operate", "internal/features/sweep/cmd"), "a command of a feature")
	for _, core := range []string{"internal/cli/operate", "internal/run", "internal/stack/life", "program", "plugin",
		"stacks"} {
		assert.False(t, mayImport(core, "internal/features/sweep"), "a feature in %s", core)
	}
	assert.False(t, mayImport("internal/features/sweep", "internal/cluster/kubeapi"), "a client of its own")
	assert.True(t, mayImport("internal/offline/iampolicy", "components/iam/policy"), "an exception")
}

// featureOf returns the feature that a package belongs to, "" for none.
func featureOf(name string) string {
	rest, _ := strings.CutPrefix(name, "internal/features/")
	if rest == name {
		return ""
	}
	feature, _, _ := strings.Cut(rest, "/")
	return feature
}

// needs returns the features that the package comments of each feature name in a line such as "needs: forecast, paths".
func needs(t *testing.T) map[string][]string {
	t.Helper()
	needs := map[string][]string{}
	for _, p := range listed(t) {
		feature := featureOf(p.ImportPath)
		if feature == "" {
			continue
		}
		for _, file := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil,
				parser.PackageClauseOnly|parser.ParseComments)
			require.NoError(t, err)
			for line := range strings.Lines(parsed.Doc.Text()) {
				if names, ok := strings.CutPrefix(line, "needs:"); ok {
					needs[feature] = append(needs[feature], strings.FieldsFunc(names, func(r rune) bool {
						return !unicode.IsLower(r)
					})...)
				}
			}
		}
	}
	return needs
}

// `make separable` removes the features that say it together with the one that they need.
func TestAFeatureSaysWhichOnesItNeeds(t *testing.T) {
	t.Parallel()
	said, used := needs(t), map[string][]string{}
	for _, p := range listed(t) {
		feature := featureOf(p.ImportPath)
		for _, imported := range p.Imports {
			other := featureOf(imported)
			if feature == "" || other == "" || other == feature {
				continue
			}
			used[feature] = append(used[feature], other)
			assert.Contains(t, said[feature], other, "%s imports %s: write `// needs: %s` in the package comment of internal/features/%s",
				p.ImportPath, imported, other, feature)
		}
	}
	for feature, names := range said {
		for _, name := range names {
			assert.Contains(t, used[feature], name, "%s says that it needs %s, and doesn't import it", feature, name)
		}
	}
}

// With -v it prints the number of packages that each one needs.
func TestWhatIsEmbeddedNeedsNoMoreThanItUses(t *testing.T) {
	t.Parallel()
	for _, c := range closures {
		for _, embedded := range strings.Fields(c.packages) {
			needed := map[string]bool{}
			for _, p := range listed(t) {
				if !within(p.ImportPath, embedded) {
					continue
				}
				for _, name := range slices.Concat(p.Deps, []string{p.ImportPath}) {
					needed[name] = true
				}
			}
			assert.NotEmpty(t, needed, embedded)
			t.Logf("%s needs %d packages", embedded, len(needed))
			for name := range needed {
				assert.False(t, within(name, c.refused) && !within(name, c.except), "%s needs %s", embedded, name)
			}
		}
	}
}

func TestNoPackageHasMoreThan25Files(t *testing.T) {
	t.Parallel()
	for _, p := range listed(t) {
		assert.LessOrEqual(t, len(p.GoFiles), 25, "%s: split it by concern", p.ImportPath)
	}
}

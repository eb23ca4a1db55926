package cli

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/hypershift-aws/hypershift-aws/"

// limit refuses imports of packages in lower layers.
type limit struct{ packages, refused, except []string }

// architecture is what docs/architecture.md says about imports.
type architecture struct {
	layer  map[string]int // of packages, folders and modules; 0 is the highest
	limits []limit
}

// readArchitecture reads the two tables of docs/architecture.md.
func readArchitecture(page string) architecture {
	a := architecture{layer: map[string]int{}}
	layers, limits := false, false
	current := -1
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		switch {
		case strings.HasPrefix(line, "| layer |"):
			layers = true
		case strings.HasPrefix(line, "| package | does not import |"):
			limits = true
		case len(cells) < 4 || strings.HasPrefix(line, "|---"):
			if !strings.HasPrefix(line, "|") {
				layers, limits = false, false
			}
		case layers:
			if strings.TrimSpace(cells[1]) != "" {
				current++
			}
			for _, name := range quoted(cells[2]) {
				a.layer[name] = current
			}
		case limits:
			a.limits = append(a.limits, limit{quoted(cells[1]), quoted(cells[2]), quoted(cells[3])})
		}
	}
	return a
}

// quoted returns the names in a cell. A name without a folder is beside the one before it.
func quoted(cell string) []string {
	var names []string
	folder := "."
	for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		name := match[1]
		if !strings.Contains(name, "/") {
			name = path.Join(folder, name)
		}
		folder = path.Dir(name)
		names = append(names, name)
	}
	return names
}

// row returns the name in the first table that a package or module belongs to: its own, or that of the nearest folder.
func (a architecture) row(name string) (string, bool) {
	for folder := name; folder != "."; folder = path.Dir(folder) {
		if _, ok := a.layer[folder]; ok {
			return folder, true
		}
	}
	return "", false
}

// refuses returns why a package may not import another package or module, "" if it may.
func (a architecture) refuses(importer, imported string) string {
	from, ok := a.row(importer)
	to, known := a.row(imported)
	if !ok || !known || from == to {
		return ""
	}
	if a.layer[from] >= a.layer[to] {
		return fmt.Sprintf("%s imports %s, which is not in a lower layer of docs/architecture.md", importer, imported)
	}
	for _, l := range a.limits {
		if within(importer, l.packages) && within(imported, l.refused) && !within(imported, l.except) {
			return fmt.Sprintf("%s imports %s, which the second table of docs/architecture.md refuses", importer, imported)
		}
	}
	return ""
}

// within reports whether a package is one of the folders or in one of them.
func within(name string, folders []string) bool {
	for _, folder := range folders {
		if name == folder || strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}

// packages returns the Go files that are not tests, by folder.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	files := map[string][]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != "." {
			_, module := os.Stat(filepath.Join(root, name, "go.mod"))
			if module == nil || entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") || name == "bin" || name == "examples" {
				return fs.SkipDir
			}
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files[path.Dir(name)] = append(files[path.Dir(name)], filepath.Join(root, name))
		}
		return err
	}))
	return files
}

func TestTheTableOfTheArchitectureHoldsForEveryImport(t *testing.T) {
	t.Parallel()
	a := readArchitecture(pages(t)["docs/architecture.md"])
	for name := range a.layer {
		if strings.HasPrefix(name, "github.com/") {
			continue
		}
		_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(name)))
		assert.NoError(t, err, "docs/architecture.md names a folder that does not exist")
	}
	for name, files := range packages(t) {
		if within(name, []string{"test"}) {
			continue
		}
		_, ok := a.row(name)
		assert.True(t, ok, "%s is in no row of docs/architecture.md", name)
		for _, file := range files {
			source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, spec := range source.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				assert.Empty(t, a.refuses(name, strings.TrimPrefix(imported, module)), file)
			}
		}
	}
}

// Each row is one reason for a refusal.
func TestTheTableOfTheArchitectureRefusesWrongImports(t *testing.T) {
	t.Parallel()
	a := readArchitecture(pages(t)["docs/architecture.md"])
	for name, imports := range map[string][2]string{
		"the library uses the program":           {"components/network", "internal/failure"},
		"the library uses the engine":            {"components/iam", "github.com/pulumi/pulumi/sdk/v3/go/auto/optup"},
		"a network uses Kubernetes":              {"components/network", "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"},
		"a component uses stacks":                {"components/capa", "stacks/config"},
		"stacks use the program":                 {"stacks", "internal/awstype"},
		"an operation uses the CLI":              {"internal/operation", "internal/cli/invocation"},
		"an operation parses flags":              {"internal/operation", "github.com/spf13/cobra"},
		"a part uses the operation":              {"internal/plan", "internal/operation"},
		"parts use each other":                   {"internal/plan", "internal/recovery"},
		"commands use each other":                {"internal/cli/operate", "internal/cli/inspect"},
		"shared output uses a command":           {"internal/cli/view", "internal/cli/operate"},
		"the account uses the components":        {"internal/offline/ec2", "components/network"},
		"the account uses stacks":                {"internal/offline", "stacks/config"},
		"the core uses a service":                {"internal/offline/aws", "internal/offline/s3"},
		"a service uses the API server":          {"internal/offline/ec2", "internal/offline/kubernetes"},
		"the API server uses the account":        {"internal/offline/kubernetes", "internal/offline/aws"},
		"a decision uses the engine":             {"internal/sweep", "internal/engine"},
		"a plan's reader opens projects":         {"internal/savedplan", "internal/project"},
		"a price uses a plan":                    {"internal/price", "internal/plan"},
		"a gate reads clusters":                  {"internal/gate", "internal/kubeapi"},
		"the operator's objects use the program": {"internal/pko", "internal/failure"},
		"a leaf uses a component":                {"internal/awstype", "components/fault"},
		"leaves use each other":                  {"internal/awstype", "internal/failure"},
	} {
		assert.NotEmpty(t, a.refuses(imports[0], imports[1]), name)
	}
	assert.Empty(t, a.refuses("internal/offline/kubernetes", "components/crd"), "the exceptions of a limit")
	assert.Empty(t, a.refuses("internal/cli", "github.com/spf13/cobra"), "a module below")
}

func TestNoPackageHasMoreThan25Files(t *testing.T) {
	t.Parallel()
	for name, files := range packages(t) {
		assert.LessOrEqual(t, len(files), 25, "%s: split it by concern", name)
	}
}

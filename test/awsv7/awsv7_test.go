// Package awsv7 compiles the components with version 7 of pulumi-aws, and compares its types with those of the states
// that version 6 has written. The components use version 6; the test keeps the change to 7 small.
package awsv7

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// The modules of pulumi-aws.
const (
	v6 = "github.com/pulumi/pulumi-aws/sdk/v6"
	v7 = "github.com/pulumi/pulumi-aws/sdk/v7"
)

// withV7 returns the arguments with which the go command takes version 7 for 6 in this module's code.
func withV7(t *testing.T) []string {
	t.Helper()
	if !sizes.All() {
		t.Skip("NOT TESTED: the components with version 7 of pulumi-aws, which is downloaded and compiled: make test-all")
	}
	dir, root := t.TempDir(), repo.Path()
	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	wanted := regexp.MustCompile(regexp.QuoteMeta(v7) + ` v\S+`).FindString(read("testdata/go.mod"))
	mod := regexp.MustCompile(regexp.QuoteMeta(v6)+` v\S+`).ReplaceAllString(read(filepath.Join(root, "go.mod")), wanted)
	modfile := write("go.mod", mod)
	write("go.sum", read(filepath.Join(root, "go.sum"))+read("testdata/go.sum"))
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, room := range []string{"components", "internal/value"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			if text := read(path); strings.Contains(text, v6) {
				name := strings.ReplaceAll(strings.TrimPrefix(path, root), string(filepath.Separator), "_")
				overlay.Replace[path] = write(name, strings.ReplaceAll(text, v6, v7))
			}
			return nil
		})
		require.NoError(t, err)
	}
	text, err := json.Marshal(overlay)
	require.NoError(t, err)
	return []string{"-modfile=" + modfile, "-mod=mod", "-overlay=" + write("overlay.json", string(text))}
}

// run runs the go command in the module's folder, and returns what it printed.
func run(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir = repo.Path()
	var stderr strings.Builder
	command.Stderr = &stderr
	text, err := command.Output()
	require.NoError(t, err, stderr.String())
	return strings.TrimSpace(string(text))
}

func TestTheComponentsCompileWithVersion7(t *testing.T) {
	t.Parallel()
	run(t, slices.Concat([]string{"build"}, withV7(t), []string{"./components/..."})...)
}

// removed are the inputs that version 7 no longer has. The components set none of them, and a state has them only as
// outputs, which its first refresh with version 7 drops.
func removed() map[string][]string {
	return map[string][]string{
		"aws:ec2/eip:Eip": {"vpc"}, "aws:ec2/flowLog:FlowLog": {"logGroupName"},
		"aws:ec2/instance:Instance": {"cpuCoreCount", "cpuThreadsPerCore"},
	}
}

// A state of version 6 needs no other types and no other inputs: a first refresh adds the region to each regional
// resource, as the guide for version 7 of pulumi-aws says.
func TestVersion7HasTheTypesAndInputsOfAState(t *testing.T) {
	t.Parallel()
	mod := withV7(t)
	dir := func(module string, args ...string) string {
		return filepath.Join(run(t, slices.Concat([]string{"list", "-m", "-f", "{{.Dir}}"}, args, []string{module})...), "go",
			"aws")
	}
	before, after := dir(v6), dir(v7, mod...)
	gone := map[string][]string{}
	for _, record := range awstype.All() {
		was, is := inputs(t, before, record.Token), inputs(t, after, record.Token)
		require.NotEmpty(t, was, record.Token)
		require.NotEmpty(t, is, "%s is no type of version 7", record.Token)
		for _, input := range was {
			if !slices.Contains(is, input) {
				gone[record.Token] = append(gone[record.Token], input)
			}
		}
	}
	require.Equal(t, removed(), gone)
	states, err := filepath.Glob(repo.Path("test", "lives", "testdata", "states", "*", "state.json"))
	require.NoError(t, err)
	require.NotEmpty(t, states)
	for _, path := range states {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var state struct {
			Deployment struct {
				Resources []struct {
					Type   string
					Inputs map[string]any
				}
			}
		}
		require.NoError(t, json.Unmarshal(text, &state), path)
		for _, r := range state.Deployment.Resources {
			for _, input := range gone[r.Type] {
				require.NotContains(t, r.Inputs, input, "%s of %s", r.Type, path)
			}
		}
	}
}

// inputs returns the inputs of a type in the SDK in a folder, none if the SDK does not have the type.
func inputs(t *testing.T, dir, typ string) []string {
	t.Helper()
	module, _, _ := strings.Cut(strings.TrimPrefix(typ, "aws:"), "/")
	name := typ[strings.LastIndex(typ, ":")+1:]
	args := strings.ToLower(name[:1]) + name[1:] + "Args"
	files, err := os.ReadDir(filepath.Join(dir, module))
	require.NoError(t, err)
	found := map[string]bool{}
	for _, file := range files {
		if !strings.EqualFold(file.Name(), name+".go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, module, file.Name()), nil,
			parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is || spec.Name.Name != args {
				return true
			}
			fields, _ := spec.Type.(*ast.StructType)
			for _, field := range fields.Fields.List {
				if tag := strings.Trim(field.Tag.Value, "`"); strings.HasPrefix(tag, `pulumi:"`) {
					found[strings.Split(tag, `"`)[1]] = true
				}
			}
			return false
		})
	}
	return slices.Sorted(maps.Keys(found))
}

package automation_test

import (
	"bufio"
	"bytes"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/hypershift-aws/hypershift-aws/"

// load returns the types of a package, from what the compiler exports.
func load(t *testing.T, path string) *types.Package {
	t.Helper()
	listed, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", path).Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(listed)); lines.Scan(); {
		name, file, _ := strings.Cut(lines.Text(), " ")
		exports[name] = file
	}
	found, err := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }).Import(path)
	require.NoError(t, err)
	return found
}

// reach walks the types that another module gets from a value of a type: by exported fields, methods, results and
// parameters.
type reach struct {
	seen map[types.Type]bool
	// named are the types of this module, with the first way to each.
	named map[string]string
}

func (r *reach) walk(found types.Type, way string) {
	if found == nil || r.seen[found] {
		return
	}
	r.seen[found] = true
	switch typed := types.Unalias(found).(type) {
	case *types.Named:
		object := typed.Obj()
		if object.Pkg() == nil || !strings.HasPrefix(object.Pkg().Path()+"/", module) {
			return
		}
		if name := strings.TrimPrefix(object.Pkg().Path(), module) + "." + object.Name(); r.named[name] == "" {
			r.named[name] = way
		}
		for _, receiver := range []types.Type{typed, types.NewPointer(typed)} {
			methods := types.NewMethodSet(receiver)
			for i := range methods.Len() {
				if method := methods.At(i).Obj(); method.Exported() {
					r.walk(method.Type(), way+"."+method.Name())
				}
			}
		}
		r.walk(typed.Underlying(), way)
	case *types.Struct:
		for i := range typed.NumFields() {
			if field := typed.Field(i); field.Exported() {
				r.walk(field.Type(), way+"."+field.Name())
			}
		}
	case *types.Signature:
		r.walk(typed.Params(), way)
		r.walk(typed.Results(), way)
	case *types.Tuple:
		for i := range typed.Len() {
			r.walk(typed.At(i).Type(), way)
		}
	case *types.Interface:
		for i := range typed.NumMethods() {
			r.walk(typed.Method(i).Type(), way+"."+typed.Method(i).Name())
		}
	case *types.Map:
		r.walk(typed.Key(), way)
		r.walk(typed.Elem(), way)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		r.walk(typed.Elem(), way)
	}
}

func TestNoOtherModuleReachesAnOperationWithoutItsGates(t *testing.T) {
	t.Parallel()
	r := reach{seen: map[types.Type]bool{}, named: map[string]string{}}
	scope := load(t, module+"automation").Scope()
	for _, name := range scope.Names() {
		if object := scope.Lookup(name); object.Exported() {
			r.walk(object.Type(), name)
		}
	}
	require.Contains(t, r.named, "automation.Stack")
	for _, name := range []string{"internal/gate.List", "internal/run.Opened", "internal/stack/workspace.Stack",
		"internal/stack/workspace.Session"} {
		require.NotContains(t, r.named, name, "by "+r.named[name])
	}
}

package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
)

// goOnly returns the constructors whose component is in no package, and why.
func goOnly() map[string]string {
	return map[string]string{
		"network.NewBaseNetwork": "its tags are an interface of Go; capa:Infrastructure has the network",
	}
}

func TestEveryComponentIsInThePackage(t *testing.T) {
	t.Parallel()
	offered := map[string]bool{}
	for _, c := range componentplugin.Components() {
		offered[path.Base(c.Struct.PkgPath())+".New"+c.Struct.Name()] = true
	}
	found := map[string]bool{}
	for _, pattern := range []string{"components/*/*.go", "components/*/*/*.go", "stacks/*.go"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", pattern))
		require.NoError(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || strings.Contains(filepath.ToSlash(name), "/components/internal/") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			require.NoError(t, err)
			for _, declared := range file.Decls {
				f, ok := declared.(*ast.FuncDecl)
				if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "New") || !isOptions(f.Type.Params.List) {
					continue
				}
				constructor := path.Base(filepath.ToSlash(filepath.Dir(name))) + "." + f.Name.Name
				found[constructor] = true
				_, excepted := goOnly()[constructor]
				require.NotEqual(t, excepted, offered[constructor],
					"%s: offer it in componentplugin.Components, or say in goOnly why not", constructor)
			}
		}
	}
	for constructor := range offered {
		require.True(t, found[constructor], "%s is no constructor of this project", constructor)
	}
	require.Len(t, found, len(offered)+len(goOnly()))
}

// isOptions reports whether the last of the parameters are a component's options.
func isOptions(params []*ast.Field) bool {
	variadic, ok := params[len(params)-1].Type.(*ast.Ellipsis)
	if !ok {
		return false
	}
	of, ok := variadic.Elt.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "ResourceOption"
}

// typeReference matches a reference from one type to another in the schema.
var typeReference = regexp.MustCompile(`"#/types/[^:"]*:([^:"]*):`)

// In Go, a module is a package, and packages must not import each other.
func TestTheModulesOfThePackageFormNoCircle(t *testing.T) {
	t.Parallel()
	var schema struct{ Resources, Types map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(componentplugin.Schema, &schema))
	imports := map[string]map[string]bool{}
	for _, members := range []map[string]json.RawMessage{schema.Resources, schema.Types} {
		for token, member := range members {
			module := strings.Split(token, ":")[1]
			for _, found := range typeReference.FindAllStringSubmatch(string(member), -1) {
				if found[1] != module {
					if imports[module] == nil {
						imports[module] = map[string]bool{}
					}
					imports[module][found[1]] = true
				}
			}
		}
	}
	require.NotEmpty(t, imports)
	var visit func(module string, path []string)
	visit = func(module string, path []string) {
		require.NotContains(t, path, module, "%s form a circle", strings.Join(append(path, module), " -> "))
		for next := range imports[module] {
			visit(next, append(path, module))
		}
	}
	for module := range imports {
		visit(module, nil)
	}
}

func TestTheGeneratedFilesAreUpToDate(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	files, err := generate(root)
	require.NoError(t, err)
	for path, want := range files {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		require.Equal(t, string(want), string(text), "%s is stale: run `make generate`", path)
	}
}

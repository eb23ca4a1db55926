package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// answered is a question that decides whether something is harmed, and the one function that answers it.
type answered struct {
	question string
	// dir is the package's folder, and name the function's or method's name, which is unique there.
	dir, name string
	method    bool
}

func answers() []answered {
	return []answered{
		{"Is a cluster alive, by what is known of it?", "internal/gate", "LifeOf", false},
		{"What is known of it from one management cluster?", "internal/gate", "FactsOf", false},
		{"Which cluster depends on a stack?", "internal/stack/binding", "FindDependent", false},
		{"Which signs of it does AWS have, that no state owns?", "internal/stack/life", "InAWS", false},
		{"Does nothing answer at the address of an API server?", "internal/cluster/kubeapi", "NoAnswer", false},
		{"Is it the management cluster that the state records?", "internal/gate", "JudgeIdentity", false},
		{"Which stacks use a stack?", "internal/stack/users", "CheckUnused", false},
		{"May another stack have the cluster with an infra ID?", "internal/stack/users", "MayShare", false},
		{"Which stack has forgotten a cluster, and where is it?", "internal/stack/users", "Forgotten", false},
		{"Are the credentials of the account of the stack's resources?", "internal/stack/identity", "CheckAccount", false},
		{"Is the region that of the stack's resources?", "internal/stack/identity", "CheckRegion", false},
		{"Whose is a resource that is to be adopted?", "internal/features/adopt", "belongsElsewhere", false},
		{"What does a step take from a living cluster?", "internal/plan", "refused", false},
		{"Which object needs the one that a step deletes?", "internal/plan", "needer", false},
		{"Which keys does the management cluster lack, that the state has?", "internal/run", "LostKeys", false},
		{"Is the target that of the beginning?", "internal/gate", "Differs", true},
		{"Is the state that which was judged?", "internal/stack/workspace", "Unchanged", true},
		{"What may the engine carry out?", "internal/run", "constraint", true},
		{"What has AWS beside a state, with the tags of its stack?", "internal/run", "beside", true},
	}
}

// TestEachQuestionHasOneAnswer writes the table of the functions that decide, and of the packages that ask them.
func TestEachQuestionHasOneAnswer(t *testing.T) {
	t.Parallel()
	const root = "../.."
	asks := map[answered]map[string]bool{}
	defined := map[answered]bool{}
	files := token.NewFileSet()
	for _, top := range []string{"internal", "automation", "program", "plugin", "stacks"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			dir := filepath.ToSlash(relative)
			for _, a := range answers() {
				if asks[a] == nil {
					asks[a] = map[string]bool{}
				}
				ast.Inspect(file, func(n ast.Node) bool {
					switch node := n.(type) {
					case *ast.FuncDecl:
						defined[a] = defined[a] || dir == a.dir && node.Name.Name == a.name
					case *ast.CallExpr:
						if isCall(node, a, dir) {
							asks[a][dir] = true
						}
					}
					return true
				})
			}
			return nil
		}))
	}
	var table strings.Builder
	table.WriteString("| question | its function | who asks it |\n|---|---|---|\n")
	for _, a := range answers() {
		require.True(t, defined[a], "%s has no function %s", a.dir, a.name)
		var by []string
		for dir := range asks[a] {
			by = append(by, "`"+dir+"`")
		}
		require.NotEmpty(t, by, "nothing asks %s.%s", a.dir, a.name)
		slices.Sort(by)
		fmt.Fprintf(&table, "| %s | `%s.%s` | %s |\n", a.question, a.dir, a.name, strings.Join(by, ", "))
	}
	golden.RequireSection(t, "../../test/ledgers/questions.md", "<!-- questions -->\n", "<!-- end of questions -->",
		table.String())
}

// isCall reports whether a call in a package is of a function or method.
func isCall(call *ast.CallExpr, a answered, dir string) bool {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return dir == a.dir && fun.Name == a.name
	case *ast.SelectorExpr:
		if fun.Sel.Name != a.name {
			return false
		}
		if a.method {
			return ast.IsExported(a.name) || dir == a.dir
		}
		x, isIdent := fun.X.(*ast.Ident)
		return isIdent && x.Name == filepath.Base(a.dir)
	}
	return false
}

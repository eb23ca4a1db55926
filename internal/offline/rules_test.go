package offline

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateRules = flag.Bool("update-rules", false, "write docs/rules.md anew")

// refusalRow is a refusal that the package can give: in which file, who gives it, what AWS calls it, where that is said,
// who tests it.
type refusalRow struct{ file, rule, code, source, test string }

// TestEveryRefusalHasATestAndADocument reads the package's own source: docs/rules.md lists each refusal with the test
// that provokes it.
func TestEveryRefusalHasATestAndADocument(t *testing.T) {
	t.Parallel()
	files := sources(t)
	tests, helpers := testsByCode(files), map[string][]string{}
	for name, file := range files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Doc == nil && !strings.HasPrefix(f.Name.Name, "get") {
				helpers[path.Join(path.Dir(name), f.Name.Name)] = codesIn(f)
			}
		}
	}
	var rows []refusalRow
	for name, file := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && helpers[path.Join(path.Dir(name), f.Name.Name)] == nil {
				for _, row := range refusalsIn(f, path.Dir(name), helpers) {
					row.file = name
					rows = append(rows, row)
				}
			}
		}
	}
	require.Greater(t, len(rows), 60)
	for i := range rows {
		rows[i].test = strings.Join(nearest(tests[rows[i].code], rows[i].file), ", ")
		rows[i].file = ""
	}
	slices.SortFunc(rows, func(a, b refusalRow) int { return strings.Compare(a.rule+a.code, b.rule+b.code) })
	rows = slices.Compact(rows)
	var untested []string
	var doc bytes.Buffer
	doc.WriteString("# What the offline account refuses\n\nMade by a test: `go test ./internal/offline -run TestEveryRefusal -update-rules`.\n\n" +
		"| rule | AWS's code | source | tests that provoke the code |\n|---|---|---|---|\n")
	for _, r := range rows {
		if r.test == "" {
			untested = append(untested, r.rule+": "+r.code)
		}
		fmt.Fprintf(&doc, "| %s | `%s` | %s | %s |\n", r.rule, r.code, r.source, r.test)
	}
	require.Empty(t, untested, "refusals that no test provokes")
	const document = "../../docs/rules.md"
	if *updateRules {
		require.NoError(t, os.MkdirAll("../../docs", 0o755))
		require.NoError(t, os.WriteFile(document, doc.Bytes(), 0o600))
	}
	want, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(doc.String(), "\n"), "run it with -update-rules")
}

func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	set, files := token.NewFileSet(), map[string]*ast.File{}
	for _, pattern := range []string{"*.go", "*/*.go"} {
		names, err := fs.Glob(os.DirFS("."), pattern)
		require.NoError(t, err)
		for _, name := range names {
			file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
			require.NoError(t, err)
			files[name] = file
		}
	}
	return files
}

// namedTest is a test in its file.
type namedTest struct{ file, name string }

// nearest returns the names of up to three tests, first those in the test file beside it, then those of its package.
func nearest(tests []namedTest, file string) []string {
	beside := strings.TrimSuffix(file, ".go") + "_test.go"
	tests = slices.Clone(tests)
	slices.SortStableFunc(tests, func(a, b namedTest) int {
		distance := func(test namedTest) int {
			switch {
			case test.file == beside:
				return 0
			case path.Dir(test.file) == path.Dir(file):
				return 1
			default:
				return 2
			}
		}
		return cmp.Or(cmp.Compare(distance(a), distance(b)), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, test := range tests[:min(3, len(tests))] {
		names = append(names, test.name)
	}
	return names
}

// testsByCode returns the tests that name a text, by text.
func testsByCode(files map[string]*ast.File) map[string][]namedTest {
	tests := map[string][]namedTest{}
	for name, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasSuffix(name, "_test.go") || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if text, test := textOf(n), (namedTest{name, f.Name.Name}); text != "" && !slices.Contains(tests[text], test) {
					tests[text] = append(tests[text], test)
				}
				return true
			})
		}
	}
	return tests
}

var documentation = regexp.MustCompile(`https://\S+`)

// codesIn returns the codes of a function's own refusals, also of those that it has in a variable.
func codesIn(f *ast.FuncDecl) []string {
	held, codes := map[string][]string{}, []string(nil)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && textOf(n.Rhs[i]) != "" {
					held[name.Name] = append(held[name.Name], textOf(n.Rhs[i]))
				}
			}
		case *ast.CallExpr:
			if called, ok := n.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Errorf" && isNamed(called.X, "awserr") && len(n.Args) > 1 {
				if name, ok := n.Args[0].(*ast.Ident); ok {
					codes = append(codes, held[name.Name]...)
				} else if code := textOf(n.Args[0]); code != "" {
					codes = append(codes, code)
				}
			}
		}
		return true
	})
	return codes
}

// refusalsIn returns the refusals that a function gives or declares, those of its helpers among them.
func refusalsIn(f *ast.FuncDecl, dir string, helpers map[string][]string) []refusalRow {
	var rows []refusalRow
	links := strings.Join(documentation.FindAllString(f.Doc.Text(), -1), " ")
	rule, _, _ := strings.Cut(strings.TrimSpace(documentation.ReplaceAllString(f.Doc.Text(), "")), ".\n")
	rule = strings.TrimSuffix(strings.Join(strings.Fields(rule), " "), ".")
	rule = cmp.Or(rule, f.Name.Name)
	if name, says, found := strings.Cut(rule, ": "); found && name == f.Name.Name {
		rule = says
	}
	for _, code := range codesIn(f) {
		rows = append(rows, refusalRow{rule: rule, code: code, source: links})
	}
	noun := ""
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if called, ok := n.Fun.(*ast.Ident); ok {
				for _, code := range helpers[path.Join(dir, called.Name)] {
					rows = append(rows, refusalRow{rule: rule, code: code, source: links})
				}
			}
		case *ast.KeyValueExpr:
			name, ok := n.Key.(*ast.Ident)
			if !ok {
				return true
			}
			if name.Name == "Noun" || name.Name == "Name" {
				noun = textOf(n.Value)
			}
			if name.Name == "Code" && f.Name.Name == "quotas" {
				rows = append(rows, refusalRow{rule: "the quota " + noun, code: textOf(n.Value), source: links})
			}
			if literal, ok := n.Value.(*ast.CompositeLit); ok && len(literal.Elts) == 2 && (name.Name == "NotFound" || name.Name == "InUse") {
				says := strings.TrimSpace(cmp.Or(noun, "resource") + map[string]string{"NotFound": " that is not there", "InUse": " that is in use"}[name.Name])
				if code := textOf(literal.Elts[0].(*ast.KeyValueExpr).Value); code != "" {
					rows = append(rows, refusalRow{rule: says, code: code})
				}
			}
		}
		return true
	})
	return rows
}

func isNamed(n ast.Expr, name string) bool {
	identifier, ok := n.(*ast.Ident)
	return ok && identifier.Name == name
}

func textOf(n ast.Node) string {
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(literal.Value)
	return text
}

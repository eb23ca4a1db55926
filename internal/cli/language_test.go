package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unclear matches expressions that the section "Language" of docs/contributing.md excludes.
var unclear = regexp.MustCompile(`(?i)\b(is whether|whoever|nobody|somebody|anew|for ever|all the same|vouch\w*|(is|are) gone|` +
	`goes with|stands? for|leads to|leaves? behind|left behind|brought up|` +
	`(account|AWS|CAPA|CLI|command|component|engine|HyperShift|operators?|plan|program|provider|Pulumi|server|stack|state) ` +
	`(knows?|wants?|asks?|tells?))\b`)

// describedAsThing matches the comment of a function that describes what it returns as if the function were it.
var describedAsThing = regexp.MustCompile(`^(\w+) (is|are) (the|a|an|all|what|how|which|where|who|whether)\b`)

// TestCommentsMessagesAndDocumentsAreInPlainTechnicalEnglish refuses unclear expressions in comments, in the strings of code and in
// documents, and comments of functions with results that describe a function as a thing: "name is the …" instead of "name returns the …".
func TestCommentsMessagesAndDocumentsAreInPlainTechnicalEnglish(t *testing.T) {
	t.Parallel()
	const root = "../.."
	var found []string
	files := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || name == "node_modules" || name == "bin" || path != root && strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go"):
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			found = append(found, unclearIn(files, file, strings.HasSuffix(name, "_test.go"))...)
		case strings.HasSuffix(name, ".md") && name != "contributing.md":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(text), "\n") {
				if expression := unclear.FindString(line); expression != "" {
					found = append(found, fmt.Sprintf("%s:%d: %s", path, i+1, expression))
				}
			}
		}
		return nil
	}))
	require.Empty(t, found, "see the section Language of docs/contributing.md")
}

// unclearIn returns the positions and expressions of a file. The strings of tests are not checked.
func unclearIn(files *token.FileSet, file *ast.File, test bool) []string {
	var found []string
	check := func(node ast.Node, text string) {
		if expression := unclear.FindString(strings.ReplaceAll(text, "\n", " ")); expression != "" {
			found = append(found, fmt.Sprintf("%s: %s", files.Position(node.Pos()), expression))
		}
	}
	for _, comment := range file.Comments {
		check(comment, comment.Text())
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BasicLit:
			if !test && node.Kind == token.STRING {
				check(node, node.Value)
			}
		case *ast.FuncDecl:
			thing := describedAsThing.FindStringSubmatch(strings.ReplaceAll(node.Doc.Text(), "\n", " "))
			if thing != nil && thing[1] == node.Name.Name && returnsValue(node.Type) {
				found = append(found, fmt.Sprintf("%s: %s", files.Position(node.Pos()), thing[0]))
			}
		}
		return true
	})
	return found
}

// returnsValue reports whether a function returns more than an error: a program of Pulumi is a thing with only an error.
func returnsValue(of *ast.FuncType) bool {
	if of.Results == nil || len(of.Results.List) != 1 {
		return of.Results != nil
	}
	only, named := of.Results.List[0].Type.(*ast.Ident)
	return !named || only.Name != "error"
}

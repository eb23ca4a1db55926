// Command messages prints the texts of the program's errors, refusals, findings and questions as Markdown, one per
// paragraph, for vale to check: the strings that are a field or an argument with such a text. A verb of a format is
// printed as X.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// folders have texts for users. The texts of internal/offline are AWS's.
var folders = []string{"automation", "components", "internal", "program", "stacks"}

// fields and calls are the fields of structs and the functions whose strings are texts for users.
var (
	fields = []string{"Problem", "Remedy", "Reason", "Message", "Text", "Why", "Refuses", "Needed", "Without", "Breaks",
		"Short", "remedy", "breaks", "is"}
	calls = regexp.MustCompile(`^(Add|allow|Errorf|New|Refuse|Refused|refuse|refused|say|Say|noted|note|Failed|Sprintf|Warn|warn|Ask|ask)$`)
	verb  = regexp.MustCompile(`%[+#]?[-0-9.*]*(?:\[\d\])?[a-zA-Z]`)
	// code is what a page has in backquotes: keys, paths, types, flags, regions, and values in quotes.
	code  = regexp.MustCompile(`"[^"]*"|\bX\b|--[a-z-]+|\b[a-z]{2}-[a-z-]+-\d[a-z]?\b|[\w\[\]*-]+(?:[.:/_][\w\[\]{}*-]+)+|\b[a-z]+[A-Z]\w*|\b\d+[smh]\b`)
	words = regexp.MustCompile(`[a-z]+ [a-z]+ [a-z]+`)
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "messages:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(filepath.ToSlash(path), "internal/offline/") {
				return err
			}
			return printTexts(root, path)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// printTexts prints the texts of a file, each with its place as a comment.
func printTexts(root, path string) error {
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, path, nil, 0)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	seen := map[token.Pos]bool{}
	show := func(value ast.Expr) {
		text, isText := textOf(value)
		if !isText || seen[value.Pos()] || !words.MatchString(text) {
			return
		}
		seen[value.Pos()] = true
		text = strings.Join(strings.Fields(text), " ")
		fmt.Printf("<!-- %s:%d -->\n\n%s\n\n", filepath.ToSlash(name), positions.Position(value.Pos()).Line, markCode(text))
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.KeyValueExpr:
			if key, isName := node.Key.(*ast.Ident); isName && slices.Contains(fields, key.Name) {
				show(node.Value)
			}
		case *ast.CallExpr:
			if calls.MatchString(functionName(node.Fun)) {
				for _, argument := range node.Args {
					show(argument)
				}
			}
		}
		return true
	})
	return nil
}

// markCode puts code and the verbs of a format into backquotes, except in text that has them already.
func markCode(text string) string {
	parts := strings.Split(text, "`")
	for i := range parts {
		parts[i] = verb.ReplaceAllString(parts[i], "X")
		if i%2 == 0 {
			parts[i] = code.ReplaceAllString(parts[i], "`$0`")
		}
	}
	return strings.Join(parts, "`")
}

func functionName(function ast.Expr) string {
	switch function := function.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	}
	return ""
}

// textOf returns a string literal, or the concatenation of literals and other values, which are printed as code.
func textOf(value ast.Expr) (text string, hasLiteral bool) {
	switch value := value.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(value.Value)
		return text, err == nil && value.Kind == token.STRING
	case *ast.BinaryExpr:
		left, leftLiteral := textOf(value.X)
		right, rightLiteral := textOf(value.Y)
		return left + right, leftLiteral || rightLiteral
	case *ast.ParenExpr:
		return textOf(value.X)
	}
	return "X", false
}

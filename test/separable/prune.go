package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pruned is a file without the elements of lists that name removed packages.
type pruned struct {
	text []byte
	// lines are the lines of the file that were removed or changed, imports too.
	lines []int
}

// marker begins the comment after a statement that goes with a feature. It says what the code around it needs then.
const marker = "// separable: "

// prune removes from a file the elements of composite literals and of calls of append that name a removed package, such
// statements with the marker, and the imports that nothing uses any more. Other statements that name a removed package
// stay, and don't compile.
func prune(name string, text []byte, removed func(importPath string) bool) (*pruned, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	gone := map[string]bool{}
	for _, spec := range file.Imports {
		if removed(pathOf(spec)) {
			gone[nameOf(spec)] = true
		}
	}
	result := &pruned{text: text}
	if len(gone) == 0 {
		return result, nil
	}
	cut := append(elements(file, gone), marked(set, file, gone)...)
	cut = append(cut, unusedImports(file, cut)...)
	slices.SortFunc(cut, func(a, b ast.Node) int { return int(b.Pos() - a.Pos()) })
	result.text = slices.Clone(text)
	for _, node := range cut {
		from, to := set.Position(node.Pos()), set.Position(node.End())
		for line := from.Line; line <= to.Line; line++ {
			result.lines = append(result.lines, line)
		}
		start, end := span(text, from.Offset, to.Offset)
		result.text = slices.Delete(result.text, start, end)
	}
	slices.Sort(result.lines)
	result.lines = slices.Compact(result.lines)
	if result.text, err = format.Source(result.text); err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	return result, nil
}

// elements returns the innermost elements of lists that name one of the packages.
func elements(file *ast.File, gone map[string]bool) []ast.Node {
	var found []ast.Node
	ast.Inspect(file, func(node ast.Node) bool {
		var list []ast.Expr
		switch n := node.(type) {
		case *ast.CompositeLit:
			list = n.Elts
		case *ast.CallExpr:
			if fun, ok := n.Fun.(*ast.Ident); ok && fun.Name == "append" {
				list = n.Args[1:]
			}
		}
		for _, element := range list {
			if names(element, gone) && !slices.ContainsFunc(elements(wrapped(element), gone), func(inner ast.Node) bool {
				return inner != nil
			}) {
				found = append(found, element)
			}
		}
		return true
	})
	return found
}

// marked returns the statements with the marker that name one of the packages.
func marked(set *token.FileSet, file *ast.File, gone map[string]bool) []ast.Node {
	lines := map[int]bool{}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, marker) {
				lines[set.Position(comment.Pos()).Line] = true
			}
		}
	}
	var found []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if assigned, ok := n.(*ast.AssignStmt); ok && lines[set.Position(n.Pos()).Line] && names(assigned, gone) {
			found = append(found, n)
		}
		return true
	})
	return found
}

// wrapped returns a file with an expression, whose lists can be searched.
func wrapped(e ast.Expr) *ast.File {
	spec := &ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent("_")}, Values: []ast.Expr{e}}
	return &ast.File{Name: ast.NewIdent("_"), Decls: []ast.Decl{&ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}}}}
}

// names reports whether a node names one of the packages.
func names(node ast.Node, packages map[string]bool) bool {
	found := false
	ast.Inspect(node, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && packages[x.Name] {
				found = true
			}
		}
		return !found
	})
	return found
}

// unusedImports returns the imports that nothing uses outside of what is cut.
func unusedImports(file *ast.File, cut []ast.Node) []ast.Node {
	used, unused := usedNames(file, cut), []ast.Node(nil)
	for _, decl := range file.Decls {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			continue
		}
		for _, spec := range imports.Specs {
			switch name := nameOf(spec.(*ast.ImportSpec)); {
			case used[name] || name == "_" || name == ".":
			case imports.Lparen.IsValid():
				unused = append(unused, spec)
			default:
				unused = append(unused, imports)
			}
		}
	}
	return unused
}

// usedNames returns the names before the dots of a file, outside of what is cut.
func usedNames(file *ast.File, cut []ast.Node) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil && slices.ContainsFunc(cut, func(c ast.Node) bool { return c.Pos() == n.Pos() && c.End() == n.End() }) {
			return false
		}
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	return used
}

// span widens an element to what goes with it: the comma after it or, at the end of a list, before it.
func span(text []byte, start, end int) (from, to int) {
	if after := regexp.MustCompile(`^,[ \t]*`).FindIndex(text[end:]); after != nil {
		return start, end + after[1]
	}
	if before := regexp.MustCompile(`,\s*$`).FindIndex(text[:start]); before != nil {
		return before[0], end
	}
	return start, end
}

func pathOf(spec *ast.ImportSpec) string {
	unquoted, _ := strconv.Unquote(spec.Path.Value)
	return strings.TrimPrefix(unquoted, module)
}

// nameOf returns the name by which a file uses an import. The packages of this module have the names of their folders.
func nameOf(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	imported := pathOf(spec)
	if version := regexp.MustCompile(`^v\d+$`); version.MatchString(path.Base(imported)) {
		imported = path.Dir(imported)
	}
	return path.Base(imported)
}

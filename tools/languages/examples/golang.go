package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"

	"github.com/hashicorp/hcl/v2"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
)

// inGo generates a program in Go. The generator converts what a component takes as it is, which does not compile: these
// conversions are removed.
func inGo(program *pcl.Program) (map[string][]byte, hcl.Diagnostics, error) {
	files, problems, err := golang.GenerateProgram(program)
	if err != nil {
		return nil, problems, err
	}
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		set := token.NewFileSet()
		text = bytes.ReplaceAll(text, []byte("(interface{}{"), []byte("("+untyped+"{")) // which is no expression of Go
		file, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			return nil, problems, fmt.Errorf("parsing the program in Go: %w", err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.KeyValueExpr:
				n.Value = unconverted(n.Value)
			case *ast.CompositeLit:
				for i, element := range n.Elts {
					n.Elts[i] = unconverted(element)
				}
			}
			return true
		})
		var out bytes.Buffer
		if err := format.Node(&out, set, file); err != nil {
			return nil, problems, fmt.Errorf("writing the program in Go: %w", err)
		}
		files[name] = out.Bytes()
	}
	return files, problems, nil
}

// untyped is the type of literals to which the generator gives none.
const untyped = "untyped"

// unconverted returns an expression without a conversion that does not compile.
func unconverted(value ast.Expr) ast.Expr {
	if asserted, is := value.(*ast.TypeAssertExpr); is {
		return field(asserted)
	}
	call, is := value.(*ast.CallExpr)
	if !is || len(call.Args) != 1 {
		return value
	}
	argument := call.Args[0]
	switch converted := call.Fun.(type) {
	case *ast.ArrayType: // []network.Zone(network.ZoneArray(…))
		return unconverted(argument)
	case *ast.SelectorExpr:
		name := converted.Sel.Name
		switch given := argument.(type) {
		case *ast.CompositeLit:
			items, list := given.Type.(*ast.ArrayType)
			typ, _ := given.Type.(*ast.Ident)
			switch {
			case typ != nil && typ.Name == untyped: // management.ZoneArgs(interface{}{…})
				given.Type = converted
				return &ast.UnaryExpr{Op: token.AND, X: given}
			case list && strings.HasSuffix(name, "Array"): // network.ZoneArray([]network.ZoneArgs{{…}})
				for _, element := range given.Elts {
					if item, is := element.(*ast.CompositeLit); is && item.Type == nil {
						item.Type = items.Elt
					}
				}
				given.Type = converted
				return given
			case isPulumi(converted): // pulumi.StringMap(pulumi.StringMap{…})
				return given
			}
		case *ast.UnaryExpr: // hostedcluster.Settings(&hostedcluster.SettingsArgs{…})
			if literal, is := given.X.(*ast.CompositeLit); is && named(literal.Type) == name+"Args" {
				return given
			}
		case *ast.CallExpr, *ast.Ident, *ast.SelectorExpr, *ast.TypeAssertExpr: // pulumi.String(anOutput)
			if isPulumi(converted) {
				return unconverted(given)
			}
		}
	}
	return value
}

// field returns the output of a field in place of a function that returns a pointer to it.
func field(value *ast.TypeAssertExpr) ast.Expr {
	apply, is := value.X.(*ast.CallExpr)
	if !is || named(value.Type) != "StringPtrOutput" || len(apply.Args) != 1 {
		return value
	}
	function, is := apply.Args[0].(*ast.FuncLit)
	of, isMethod := apply.Fun.(*ast.SelectorExpr)
	if !is || !isMethod || len(function.Body.List) != 1 {
		return value
	}
	returned, is := function.Body.List[0].(*ast.ReturnStmt)
	if !is {
		return value
	}
	pointer, is := returned.Results[0].(*ast.UnaryExpr)
	if !is {
		return value
	}
	selected, is := pointer.X.(*ast.SelectorExpr)
	if !is {
		return value
	}
	return &ast.CallExpr{Fun: &ast.SelectorExpr{X: of.X, Sel: ast.NewIdent(selected.Sel.Name)}}
}

func isPulumi(of *ast.SelectorExpr) bool {
	pkg, is := of.X.(*ast.Ident)
	return is && pkg.Name == "pulumi"
}

// named returns the name of a type of another package.
func named(of ast.Expr) string {
	if selector, is := of.(*ast.SelectorExpr); is {
		return selector.Sel.Name
	}
	return ""
}

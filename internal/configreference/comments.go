package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

const module = "github.com/hypershift-aws/hypershift-aws/"

// comments are the doc comments and the enumerations of the packages that config comes from.
type comments struct {
	// types and fields have the comments of "<package path>.<type>" and "<package path>.<type>.<field>".
	types, fields map[string]string
	// values are the constants of a string type, in their order.
	values map[string][]string
}

// readComments parses the packages of the components and of the config.
func readComments(root string) (*comments, error) {
	c := &comments{types: map[string]string{}, fields: map[string]string{}, values: map[string][]string{}}
	dirs, err := filepath.Glob(filepath.Join(root, "components", "*"))
	if err != nil {
		return nil, err
	}
	for _, dir := range append(dirs, filepath.Join(root, "stacks", "config")) {
		relative, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, err
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return nil, fmt.Errorf("parsing %s: %w", name, err)
			}
			c.read(module+path.Clean(filepath.ToSlash(relative)), file)
		}
	}
	return c, nil
}

func (c *comments) read(pkg string, file *ast.File) {
	for _, declared := range file.Decls {
		group, ok := declared.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				c.readType(pkg+"."+s.Name.Name, group, s)
			case *ast.ValueSpec:
				c.readConst(pkg, group.Tok, s)
			}
		}
	}
}

func (c *comments) readType(name string, group *ast.GenDecl, s *ast.TypeSpec) {
	c.types[name] = text(group.Doc)
	fields, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range fields.Fields.List {
		for _, ident := range field.Names {
			c.fields[name+"."+ident.Name] = text(field.Doc)
		}
	}
}

func (c *comments) readConst(pkg string, tok token.Token, s *ast.ValueSpec) {
	named, ok := s.Type.(*ast.Ident)
	if tok != token.CONST || !ok || len(s.Values) != 1 {
		return
	}
	if literal, ok := s.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
		value, _ := strconv.Unquote(literal.Value)
		c.values[pkg+"."+named.Name] = append(c.values[pkg+"."+named.Name], value)
	}
}

func text(doc *ast.CommentGroup) string {
	return strings.Join(strings.Fields(doc.Text()), " ")
}

func nameOf(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

// enum lists the values of a closed enumeration, nil for other types.
func (c *comments) enum(t reflect.Type) []string {
	if t.Kind() != reflect.String || t.PkgPath() == "" {
		return nil
	}
	return c.values[nameOf(t)]
}

// description is the note as an editor shows it.
func (n note) description() string {
	description := n.meaning
	if n.otherwise != "" {
		description += " Default " + n.otherwise + "."
	}
	if n.required != "" {
		description += " " + strings.ToUpper(n.required[:1]) + n.required[1:] + "."
	}
	if n.change != "" {
		description += " Changing it " + n.change + "."
	}
	return strings.TrimSpace(description)
}

// note is a field's comment, taken apart.
type note struct {
	// meaning is what the key is for, without its Go name.
	meaning string
	// otherwise is the default, "" where there is none; required says when the key is required, "" for never.
	otherwise, required string
	// change is what changing it does, "" where it is a change in place.
	change string
}

var (
	defaultSentence  = regexp.MustCompile(`(?:^| )Default:? (.*?)\.(?: |$)`)
	requiredSentence = regexp.MustCompile(`(?:^| )Required( [^.]*)?\.(?: |$)`)
	changeSentence   = regexp.MustCompile(`(?:^| )Changing it (.*?)\.(?: |$)`)
)

func (c *comments) note(of reflect.Type, field string) note {
	comment := c.fields[nameOf(of)+"."+field]
	var n note
	take := func(pattern *regexp.Regexp) (string, bool) {
		match := pattern.FindStringSubmatchIndex(comment)
		if match == nil {
			return "", false
		}
		found := ""
		if match[2] >= 0 {
			found = strings.TrimSpace(comment[match[2]:match[3]])
		}
		comment = strings.TrimSpace(comment[:match[0]] + " " + comment[match[1]:])
		return found, true
	}
	n.otherwise, _ = take(defaultSentence)
	if when, ok := take(requiredSentence); ok {
		n.required = strings.TrimSpace("required " + when)
	}
	n.change, _ = take(changeSentence)
	comment = strings.TrimPrefix(comment, field+" ")
	comment = strings.TrimPrefix(strings.TrimPrefix(comment, "is "), "are ")
	if comment != "" {
		comment = strings.ToUpper(comment[:1]) + comment[1:]
	}
	n.meaning = comment
	return n
}

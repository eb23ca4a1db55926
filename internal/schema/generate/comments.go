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

// Comments are the doc comments and the enumerations of the components and of the config.
type Comments struct {
	// types and fields map "<package path>.<type>" and "<package path>.<type>.<field>" to comments.
	types, fields map[string]string
	// values are the constants of a string type, in their order.
	values map[string][]Value
}

// Value is a constant of an enumeration.
type Value struct {
	// Name is its name in Go, and Text the value.
	Name, Text string
	// Doc is its comment; "" without one.
	Doc string
}

// readComments parses the packages of the components and of the config.
func readComments(root string) (*Comments, error) {
	c := &Comments{types: map[string]string{}, fields: map[string]string{}, values: map[string][]Value{}}
	var dirs []string
	for _, pattern := range []string{"components/*", "components/*/*", "stacks", "stacks/config", "api/*"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, found...)
	}
	for _, dir := range dirs {
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

func (c *Comments) read(pkg string, file *ast.File) {
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

func (c *Comments) readType(name string, group *ast.GenDecl, s *ast.TypeSpec) {
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

func (c *Comments) readConst(pkg string, tok token.Token, s *ast.ValueSpec) {
	named, ok := s.Type.(*ast.Ident)
	if tok != token.CONST || !ok || len(s.Values) != 1 {
		return
	}
	if literal, ok := s.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
		value, _ := strconv.Unquote(literal.Value)
		c.values[pkg+"."+named.Name] = append(c.values[pkg+"."+named.Name], Value{
			Name: s.Names[0].Name,
			Text: value,
			Doc:  text(s.Doc),
		})
	}
}

func text(doc *ast.CommentGroup) string {
	return strings.Join(strings.Fields(doc.Text()), " ")
}

func nameOf(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

// Enum lists the values of a closed enumeration, nil for other types.
func (c *Comments) Enum(t reflect.Type) []Value {
	if t.Kind() != reflect.String || t.PkgPath() == "" {
		return nil
	}
	return c.values[nameOf(t)]
}

// Type returns the comment of a type.
func (c *Comments) Type(t reflect.Type) string { return c.types[nameOf(t)] }

// Description returns the note in the form that editors show.
func (n Note) Description() string {
	description := n.Meaning
	if n.Default != "" {
		description += " Default " + n.Default + "."
	}
	if n.Required != "" {
		description += " " + strings.ToUpper(n.Required[:1]) + n.Required[1:] + "."
	}
	if n.Change != "" {
		description += " Changing it " + n.Change + "."
	}
	return strings.TrimSpace(description)
}

// Note is a field's comment in parts.
type Note struct {
	// Meaning describes the key, without its Go name.
	Meaning string
	// Default is "" if there is none; Required is the condition under which the key is required, "" if it never is.
	Default, Required string
	// Change is the effect of a change of the value, "" for a change in place.
	Change string
}

var (
	defaultSentence  = regexp.MustCompile(`(?:^| )Default:? (.*?)\.(?: |$)`)
	requiredSentence = regexp.MustCompile(`(?:^| )Required( [^.]*)?\.(?: |$)`)
	changeSentence   = regexp.MustCompile(`(?:^| )Changing it (.*?)\.(?: |$)`)
)

// Note returns the comment of a field.
func (c *Comments) Note(t reflect.Type, field string) Note {
	comment := c.fields[nameOf(t)+"."+field]
	var n Note
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
	n.Default, _ = take(defaultSentence)
	if when, ok := take(requiredSentence); ok {
		n.Required = strings.TrimSpace("required " + when)
	}
	n.Change, _ = take(changeSentence)
	comment = strings.TrimPrefix(comment, field+" ")
	comment = strings.TrimPrefix(strings.TrimPrefix(comment, "is "), "are ")
	if comment != "" {
		comment = strings.ToUpper(comment[:1]) + comment[1:]
	}
	n.Meaning = comment
	return n
}

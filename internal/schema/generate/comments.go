package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
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
	// keys map the names of fields in Go to their keys.
	keys map[string]string
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
	c := &Comments{
		types:  map[string]string{},
		fields: map[string]string{},
		values: map[string][]Value{},
		keys:   map[string]string{},
	}
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
			if key := keyIn(field.Tag); key != "" {
				c.keys[ident.Name] = key
			}
		}
	}
}

// keyIn returns the key in the tags of a field, "" without one.
func keyIn(tags *ast.BasicLit) string {
	if tags == nil {
		return ""
	}
	unquoted, _ := strconv.Unquote(tags.Value)
	for _, tag := range []string{"pulumi", "yaml"} {
		if key, _, _ := strings.Cut(reflect.StructTag(unquoted).Get(tag), ","); key != "" && key != "-" {
			return key
		}
	}
	return ""
}

// kinds are names of fields that are also those of objects and services, which a comment means.
var kinds = []string{"AWSCluster", "AutoNode", "HostedCluster", "MachineDeployments", "NodePools", "PrivateLink"}

// goName matches what a text has in quotes and in braces, and the names of fields outside of them, with the structs
// that have them.
var goName = regexp.MustCompile("\"[^\"]*\"|\\{[^}]*\\}|[\\w.]*[A-Z][\\w.]*\\w")

// plain returns a comment with keys in place of the names of fields in Go, and of inputs in place of Args.
func (c *Comments) plain(comment string) string {
	return goName.ReplaceAllStringFunc(comment, func(found string) string {
		if inputs, is := strings.CutSuffix(found,
			"Args"); is && strings.ToLower(found[:1]) != found[:1] && !strings.Contains(found, ".") {
			return cmp.Or(inputs, "Settings")
		}
		steps := strings.Split(found, ".")
		for i, step := range steps {
			key, known := c.keys[step]
			if !known || len(steps) == 1 && (key == strings.ToLower(key) || slices.Contains(kinds, step)) {
				return found
			}
			steps[i] = key
		}
		return strings.Join(steps, ".")
	})
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

// Type returns the comment of a type, without its name in Go.
func (c *Comments) Type(t reflect.Type) string {
	return sentence(c.types[nameOf(t)], t.Name(), c.plain)
}

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
	n.Meaning, n.Default, n.Required = c.plain(comment), c.plain(n.Default), c.plain(n.Required)
	return n
}

package fleet

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// builtinTemplate is the template for a row's keys if none is given.
const builtinTemplate = "config:\n  hypershift-aws:kind: cluster\n"

// placeholder is a placeholder in a template for the value of a column: "${zone}".
var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

// filled is a template with a row's values.
type filled struct {
	root *yaml.Node
	// from maps a value's path in the config to the cell that it came from.
	from map[string]*cell
}

// addInfraID adds an infra ID to a cluster without one. It takes the infra ID of the existing file, which may have none
// either. If there is no file, it makes a new one.
func (f *filled) addInfraID(before []byte, written bool) {
	const key = config.ProjectName + ":" + string(config.KindCluster)
	values := child(f.root, "config")
	if !has(values, key) || child(values, config.KindKey).Value != string(config.KindCluster) {
		return
	}
	cluster := child(values, key)
	if !has(cluster, "name") || has(cluster, "infraID") {
		return
	}
	infraID := config.NewInfraID(child(cluster, "name").Value)
	if written {
		infraID = infraIDIn(before, key)
	}
	if infraID != "" {
		*child(cluster, "infraID") = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: infraID}
	}
}

// keep adds what an existing file has beside its config, such as the salt of its secrets, unless the template has it.
func (f *filled) keep(before []byte) {
	var file yaml.Node
	if yaml.Unmarshal(before, &file) != nil || len(file.Content) == 0 {
		return // there is none, or it is reported where its values are compared
	}
	root := file.Content[0]
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		if !has(f.root, root.Content[i].Value) {
			f.root.Content = append(f.root.Content, root.Content[i], root.Content[i+1])
		}
	}
}

// infraIDIn returns the infra ID in a section of a stack's file, "" if there is none.
func infraIDIn(text []byte, section string) string {
	var file struct{ Config map[string]yaml.Node }
	var cluster struct {
		InfraID string `yaml:"infraID"`
	}
	if yaml.Unmarshal(text, &file) != nil {
		return "" // reported where the values are compared
	}
	node := file.Config[section]
	_ = node.Decode(&cluster) // as above
	return cluster.InfraID
}

// has reports whether a mapping has a key.
func has(node *yaml.Node, key string) bool {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return true
		}
	}
	return false
}

// placeholders returns the columns that a template names.
func placeholders(root *yaml.Node) map[string]*yaml.Node {
	found := map[string]*yaml.Node{}
	var visit func(*yaml.Node)
	visit = func(node *yaml.Node) {
		if node.Kind == yaml.ScalarNode {
			for _, match := range placeholder.FindAllStringSubmatch(node.Value, -1) {
				if found[match[1]] == nil {
					found[match[1]] = node
				}
			}
		}
		for _, child := range node.Content {
			visit(child)
		}
	}
	visit(root)
	return found
}

// fill inserts a row into a template: columns that the template names in place of their placeholders, all others at
// their keys.
func fill(template *yaml.Node, named map[string]*yaml.Node, r row, path, templatePath string) (*filled, fault.Faults) {
	f := &filled{root: clone(template), from: map[string]*cell{}}
	var faults fault.Faults
	for column, node := range named {
		if r.get(column) == nil {
			faults = append(faults, &fault.Fault{File: path, Line: r.line, Path: column, Problem: "is missing or empty",
				Remedy: fmt.Sprintf("set it: line %d of %s uses it", node.Line, templatePath)})
		}
	}
	if faults != nil {
		return f, faults
	}
	f.substitute(f.root, "", r)
	section := f.section(r)
	for i := range r.cells {
		c := &r.cells[i]
		if named[c.column] != nil || c.column == "stack" || c.column == "kind" {
			continue
		}
		if problem := f.set(c, section); problem != "" {
			faults = append(faults, c.fault(path, problem,
				"use the path of a key of the config, such as network.vpcCIDR or aws:region"))
		}
	}
	return f, faults
}

// section returns the key of the section of the row's kind; it sets the kind.
func (f *filled) section(r row) string {
	values := child(f.root, "config")
	kind := child(values, config.KindKey)
	if c := r.get("kind"); c != nil && !strings.Contains(c.node.Value, "${") {
		kind.Value, kind.Tag, kind.Kind = c.node.Value, "!!str", yaml.ScalarNode
		f.from[config.KindKey] = c
	}
	return config.ProjectName + ":" + kind.Value
}

// substitute replaces placeholders. A placeholder that is a whole unquoted value has the type of the cell; in quotes or
// within text, it is a string.
func (f *filled) substitute(node *yaml.Node, path string, r row) {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			at := node.Content[i].Value
			if path != "" && path != "config" {
				at = path + "." + at
			}
			f.substitute(node.Content[i+1], at, r)
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			f.substitute(item, fmt.Sprintf("%s[%d]", path, i), r)
		}
	case yaml.ScalarNode:
		whole := placeholder.FindStringSubmatch(node.Value)
		if whole == nil {
			return
		}
		f.from[path] = r.get(whole[1])
		if whole[0] == node.Value && node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
			*node = *typed(r.get(whole[1]))
			return
		}
		node.Value = placeholder.ReplaceAllStringFunc(node.Value, func(match string) string {
			return r.get(match[2 : len(match)-1]).node.Value
		})
		node.Tag = "!!str"
	default:
	}
}

// typed returns a cell as YAML would read it.
func typed(c *cell) *yaml.Node {
	if !c.text {
		return clone(c.node)
	}
	var document yaml.Node
	if yaml.Unmarshal([]byte(c.node.Value), &document) != nil || len(document.Content) == 0 {
		return clone(c.node)
	}
	return document.Content[0]
}

// set sets the key that a cell's column names, and returns the problem, or "" for none.
func (f *filled) set(c *cell, section string) string {
	names := strings.Split(c.column, ".")
	if c.column == "" {
		return "has no name in the first line"
	}
	if !strings.Contains(names[0], ":") {
		names = append([]string{section}, names...)
	}
	at := child(f.root, "config")
	for i, name := range names {
		if name == "" {
			return "is not a path of keys"
		}
		at = child(at, name)
		if at == nil || i < len(names)-1 && at.Kind == yaml.ScalarNode && at.Value != "" {
			return "is within a value that is not a mapping"
		}
	}
	*at = *valueAt(c, names)
	f.from[strings.Join(names, ".")] = c
	return ""
}

// valueAt returns a cell in the form that its key requires: text for a list is split at spaces and semicolons.
func valueAt(c *cell, names []string) *yaml.Node {
	if !c.text || strings.HasPrefix(c.node.Value, "[") || strings.HasPrefix(c.node.Value, "{") {
		return typed(c)
	}
	t := typeAt(names)
	switch {
	case t == nil:
		return typed(c)
	case t.Kind() == reflect.Slice:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
		for _, item := range strings.FieldsFunc(c.node.Value, func(r rune) bool { return r == ' ' || r == ';' }) {
			list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: item})
		}
		return list
	case t.Kind() == reflect.String, t == reflect.TypeFor[pulumi.StringInput](),
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return clone(c.node)
	}
	return typed(c)
}

// typeAt returns the type of a key, or nil where it is not known.
func typeAt(names []string) reflect.Type {
	var t reflect.Type
	if name, ok := strings.CutPrefix(names[0], config.ProjectName+":"); ok {
		t = stacks.Kinds().Type(config.Kind(name))
		names = names[1:]
	} else if name, ok := strings.CutPrefix(names[0], "aws:"); ok {
		t = reflect.TypeFor[config.Account]()
		names = append([]string{name}, names[1:]...)
	}
	for _, name := range names {
		for t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t != nil && t.Kind() == reflect.Map {
			t = t.Elem()
			continue
		}
		if t == nil || t.Kind() != reflect.Struct {
			return nil
		}
		var next reflect.Type
		for _, field := range configfield.All(t) {
			if field.Key == name {
				next = field.Type
			}
		}
		t = next
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// child returns the value of a mapping's key, and adds the key if it is missing; nil if the node is not a mapping.
func child(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode && (node.Kind != yaml.ScalarNode || node.Value != "") {
		return nil
	}
	if node.Kind == yaml.ScalarNode {
		*node = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	return value
}

func clone(node *yaml.Node) *yaml.Node {
	copied := *node
	copied.Content = make([]*yaml.Node, len(node.Content))
	for i, inner := range node.Content {
		copied.Content[i] = clone(inner)
	}
	if node.Alias != nil {
		return clone(node.Alias)
	}
	return &copied
}

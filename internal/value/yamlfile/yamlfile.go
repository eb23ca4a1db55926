// Package yamlfile reads YAML that people write, and finds the line of a value by its path.
package yamlfile

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// syntaxLine matches the line in an error of the YAML library.
var syntaxLine = regexp.MustCompile(`line [0-9]+: (.*)`)

// Parse reads one document. It returns a fault with the line of a syntax error.
func Parse(text []byte) (*yaml.Node, error) {
	var document yaml.Node
	err := yaml.Unmarshal(text, &document)
	if err == nil {
		if document.Kind == 0 {
			return &yaml.Node{Kind: yaml.MappingNode}, nil
		}
		return document.Content[0], nil
	}
	f := &fault.Fault{
		Problem: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: "),
		Remedy:  "correct the file at this position",
	}
	if match := syntaxLine.FindStringSubmatch(err.Error()); match != nil {
		f.Problem = "is not YAML: " + match[1]
	}
	f.Line = syntaxErrorLine(text)
	if lines := bytes.Split(text, []byte("\n")); f.Line <= len(lines) && bytes.HasPrefix(bytes.TrimLeft(lines[f.Line-1],
		" "), []byte("\t")) {
		f.Remedy = "indent with spaces instead of tabs"
	}
	return nil, f
}

// syntaxErrorLine returns the line after the longest part of a text that is YAML. The line in the library's error is
// often that of the enclosing mapping. Only errors are searched in this way, so its quadratic time does not matter for
// files that people write.
func syntaxErrorLine(text []byte) int {
	const most = 2000 // lines
	lines := bytes.SplitAfterN(text, []byte("\n"), most)
	for end := len(lines) - 1; end > 0; end-- {
		var document yaml.Node
		if yaml.Unmarshal(bytes.Join(lines[:end], nil), &document) == nil {
			return end + 1
		}
	}
	return 1
}

// Locate adds the file to every fault in err and, if the file's content is known, the line.
func Locate(err error, path string, root *yaml.Node) error {
	if err == nil {
		return nil
	}
	var faults fault.Faults
	for _, f := range fault.In(err) {
		at := *f
		at.File = path
		if root != nil && at.Line == 0 {
			at.Line = lineOf(root, at.Path)
		}
		faults = append(faults, &at)
	}
	return faults.Err()
}

// lineOf returns the line in a stack's file of the value at a config path or, for a missing value, of the nearest
// enclosing one.
func lineOf(root *yaml.Node, path string) int {
	line := 1
	node := Child(root, "config")
	if node == nil {
		return line
	}
	key, rest := SplitKey(path)
	for {
		at, next := find(node, key)
		if at == nil {
			return line
		}
		line, node = at.Line, next
		if rest == "" {
			return line
		}
		key, rest = NextStep(rest)
	}
}

// SplitKey splits the first key from the front of a path: the config key, "<namespace>:<name>", of a fault in a stack's
// file.
func SplitKey(path string) (key, rest string) {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// NextStep splits ".name" or "[index, key or name]" from the front of the rest of a path.
func NextStep(rest string) (step, left string) {
	if rest[0] == '[' {
		if end := strings.IndexByte(rest, ']'); end >= 0 {
			return rest[1:end], rest[end+1:]
		}
	}
	return SplitKey(rest[1:])
}

// find returns the node that names a step below node, and the value there. A step below a list is an index, or the name
// of an item.
func find(node *yaml.Node, step string) (at, value *yaml.Node) {
	switch node.Kind {
	case yaml.AliasNode:
		return find(node.Alias, step)
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i], node.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			if name := Child(item, "name"); strconv.Itoa(i) == step || name != nil && name.Value == step {
				return item, item
			}
		}
	default: // a scalar has nothing below it
	}
	return nil, nil
}

// Child returns the value of a key, nil without one.
func Child(node *yaml.Node, key string) *yaml.Node {
	_, value := find(node, key)
	return value
}

package yamlfile

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

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

// SplitKey splits the first key from the front of a path: the config key, "<namespace>:<name>", of a fault in a stack's file.
func SplitKey(path string) (key, rest string) {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// NextStep splits ".name" or "[index or key]" from the front of the rest of a path.
func NextStep(rest string) (step, left string) {
	if rest[0] == '[' {
		if end := strings.IndexByte(rest, ']'); end >= 0 {
			return rest[1:end], rest[end+1:]
		}
	}
	return SplitKey(rest[1:])
}

// find returns the node that names a step below node, and the value there.
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
		if i, err := strconv.Atoi(step); err == nil && i < len(node.Content) {
			return node.Content[i], node.Content[i]
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

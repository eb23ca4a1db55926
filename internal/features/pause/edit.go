package pause

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// edit returns the text of a stack's file with another value of a key below config, such as
// "hypershift-aws:cluster.hostedCluster.nodesPausedSince"; "" takes the key away. Everything else stays as it is
// written, comments too. A file in which the key cannot be written like this is an error.
func edit(text []byte, key, value string) ([]byte, error) {
	steps := strings.Split(key, ".")
	section, last := steps[:len(steps)-1], steps[len(steps)-1]
	root, err := yamlfile.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	parent, mapping := root, yamlfile.Child(root, "config")
	for _, step := range section {
		if mapping == nil {
			break
		}
		parent, mapping = mapping, yamlfile.Child(mapping, step)
	}
	cannot := fmt.Errorf("%s of the file is not a mapping in which %s can be written", strings.Join(section, "."), last)
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil, cannot
	}
	lines := strings.SplitAfter(string(text), "\n")
	done := false
	if at := keyOf(mapping, last); at >= 0 {
		done = remove(lines, mapping, at)
		text = []byte(strings.Join(lines, ""))
		if value != "" && done {
			return edit(text, key, value)
		}
	} else if value != "" {
		done = insert(lines, parentKey(parent, mapping), mapping, last+": "+strconv.Quote(value))
	} else {
		return text, nil
	}
	edited := []byte(strings.Join(lines, ""))
	if !done || !sameBut(text, edited, append([]string{"config"}, section...), last, value) {
		return nil, cannot
	}
	return edited, nil
}

// keyOf returns the index of a key in the contents of a mapping, -1 if it has none.
func keyOf(mapping *yaml.Node, key string) int {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// parentKey returns the key whose value a mapping is.
func parentKey(parent, mapping *yaml.Node) *yaml.Node {
	return parent.Content[slices.Index(parent.Content, mapping)-1]
}

// insert writes an entry as the first of a mapping, and reports whether it could.
func insert(lines []string, parent, mapping *yaml.Node, entry string) bool {
	if mapping.Style&yaml.FlowStyle != 0 {
		line := []rune(lines[mapping.Line-1])
		at := mapping.Column - 1
		if at >= len(line) || line[at] != '{' {
			return false
		}
		if len(mapping.Content) > 0 {
			entry += ", "
		}
		lines[mapping.Line-1] = string(line[:at+1]) + entry + string(line[at+1:])
		return true
	}
	if len(mapping.Content) == 0 || mapping.Content[0].Line == parent.Line {
		return false
	}
	above := &lines[parent.Line-1]
	ending := "\n"
	if strings.HasSuffix(*above, "\r\n") {
		ending = "\r\n"
	}
	*above += strings.Repeat(" ", mapping.Content[0].Column-1) + entry + ending
	return true
}

// remove takes the entry at an index of a mapping's contents out of the lines, and reports whether it could.
func remove(lines []string, mapping *yaml.Node, at int) bool {
	key, value := mapping.Content[at], mapping.Content[at+1]
	if value.Kind != yaml.ScalarNode || value.Line != key.Line {
		return false
	}
	line := []rune(lines[key.Line-1])
	if mapping.Style&yaml.FlowStyle == 0 {
		lines[key.Line-1] = ""
		return strings.TrimSpace(string(line[:key.Column-1])) == ""
	}
	end := value.Column - 1
	if quote := line[end]; quote == '"' || quote == '\'' {
		for end++; end < len(line) && line[end] != quote; end++ {
		}
		end++
	} else {
		for end < len(line) && !strings.ContainsRune(",}\r\n", line[end]) {
			end++
		}
	}
	before, after := string(line[:key.Column-1]), strings.TrimLeft(string(line[min(end, len(line)):]), " ")
	if rest, more := strings.CutPrefix(after, ","); more {
		after = strings.TrimLeft(rest, " ")
	} else {
		before = strings.TrimSuffix(strings.TrimRight(before, " "), ",")
	}
	lines[key.Line-1] = before + after
	return true
}

// sameBut reports whether two texts say the same but for the value of one key, "" for none, in the mapping at a path.
func sameBut(before, after []byte, path []string, key, value string) bool {
	var was, is map[string]any
	if yaml.Unmarshal(before, &was) != nil || yaml.NewDecoder(bytes.NewReader(after)).Decode(&is) != nil {
		return false
	}
	at := was
	for _, step := range path {
		at, _ = at[step].(map[string]any)
		if at == nil {
			return false
		}
	}
	if delete(at, key); value != "" {
		at[key] = value
	}
	return reflect.DeepEqual(was, is)
}

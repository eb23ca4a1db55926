// Package yamlfile reads YAML that people write, and finds the line of a value by its path.
package yamlfile

import (
	"bytes"
	"regexp"
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
	f := &fault.Fault{Problem: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: "), Remedy: "correct the file at this position"}
	if match := syntaxLine.FindStringSubmatch(err.Error()); match != nil {
		f.Problem = "is not YAML: " + match[1]
	}
	f.Line = syntaxErrorLine(text)
	if lines := bytes.Split(text, []byte("\n")); f.Line <= len(lines) && bytes.HasPrefix(bytes.TrimLeft(lines[f.Line-1], " "), []byte("\t")) {
		f.Remedy = "indent with spaces instead of tabs"
	}
	return nil, f
}

// syntaxErrorLine returns the line after the longest part of a text that is YAML. The line in the library's error is often that of the
// enclosing mapping. Only errors are searched in this way, so its quadratic time does not matter for files that people write.
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

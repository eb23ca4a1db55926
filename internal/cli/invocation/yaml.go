package invocation

import (
	"bytes"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// yamlDocuments writes each line of JSON as a document in YAML, with the same keys in the same order.
type yamlDocuments struct{ out io.Writer }

func (y yamlDocuments) Write(text []byte) (int, error) {
	for line := range bytes.Lines(text) {
		var document yaml.Node
		if err := yaml.Unmarshal(line, &document); err != nil { // JSON is YAML
			return 0, fmt.Errorf("converting a line of JSON: %w", err)
		}
		plain(&document)
		var out bytes.Buffer
		out.WriteString("---\n")
		encoder := yaml.NewEncoder(&out)
		encoder.SetIndent(2)
		if err := encoder.Encode(&document); err != nil {
			return 0, fmt.Errorf("writing YAML: %w", err)
		}
		if _, err := y.out.Write(out.Bytes()); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

// plain removes JSON's braces and quotes. An encoder adds quotes where a text would be read as another type.
func plain(node *yaml.Node) {
	node.Style = 0
	for _, inner := range node.Content {
		plain(inner)
	}
}

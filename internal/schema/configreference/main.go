// Command configreference generates docs/config.md and the JSON Schema of a stack's file from the structs that the file
// decodes into. `make generate` runs it.
package main

import (
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/internal/schema/doccomment"
)

// reference is the content of the generated files.
type reference struct{ *doccomment.Comments }

func main() { doccomment.Main(generate) }

// generate returns the generated files by their paths in the repository.
func generate(root string) (map[string][]byte, error) {
	comments, err := doccomment.Read(root)
	if err != nil {
		return nil, err
	}
	docs := reference{comments}
	schema, err := docs.schema()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		filepath.Join("docs", "config.md"):               docs.markdown(),
		filepath.Join("stacks", "config", "schema.json"): schema,
	}, nil
}

// Command configreference generates docs/config.md and the JSON Schema of a stack's file from the structs that the file
// decodes into. `make generate` runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/internal/doccomment"
)

// reference is the content of the generated files.
type reference struct{ *doccomment.Comments }

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := write(root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the generated files of the repository in root.
func write(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for path, text := range files {
		if err := os.WriteFile(filepath.Join(root, path), text, 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}

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

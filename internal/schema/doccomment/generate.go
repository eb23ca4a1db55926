package doccomment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Generator returns files by their paths in the repository in root.
type Generator func(root string) (map[string][]byte, error)

// Main writes the generated files. The first argument of the program is the repository, by default the working directory.
func Main(generate Generator) {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	files, err := generate(root)
	for path, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(root, path), text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// JSON returns a document as indented JSON.
func JSON(document any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(document)
	return out.Bytes(), err
}

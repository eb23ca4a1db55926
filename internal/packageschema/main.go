// Command packageschema writes the schema of the Pulumi package, internal/componentplugin/schema.json, from the components' structs
// and their comments. `make generate` runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	schema, err := generate(root)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, schemaPath), schema, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// schemaPath is the path of the schema in the repository.
var schemaPath = filepath.Join("internal", "componentplugin", "schema.json")

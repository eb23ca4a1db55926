// Package repo finds the repository's files from the tests of any package.
package repo

import (
	"os"
	"path/filepath"
	"sync"
)

// Path returns the absolute path of a file or folder, given by its path from the repository's root.
func Path(elements ...string) string { return filepath.Join(append([]string{root()}, elements...)...) }

// root returns the folder of the main module: the nearest one above the working directory that has a go.mod.
// Tests run in their package's folder, which is never in another module of the repository.
var root = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			panic("no go.mod above the working directory")
		}
		dir = parent
	}
})

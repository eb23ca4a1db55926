package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write replaces a file atomically, so that a reader in another process sees the old or the new one. It does not write
// a file that has the same content already.
func Write(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(content) {
		return nil
	}
	return place(path, content, os.Rename)
}

// Create writes a file that must not exist yet: the error is fs.ErrExist if it does.
func Create(path string, content []byte) error { return place(path, content, os.Link) }

// place writes a file in path's folder and calls put to move it there.
func place(path string, content []byte, put func(from, to string) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(content)
	if err = errors.Join(err, temp.Chmod(0o644), temp.Close()); err == nil {
		err = put(temp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// EscapeGlob escapes a folder's name for filepath.Glob.
func EscapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

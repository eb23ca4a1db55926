package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// checkFile refuses a file whose extension is not a format of a picture, or that cannot be written, before anything is
// done.
func checkFile(file string) error {
	if !slices.Contains([]string{".html", ".svg", ".md"}, filepath.Ext(file)) {
		return invocation.Refuse("%s is not a picture's file: use a name that ends with .html, .svg or .md", file)
	}
	path := file
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		path = filepath.Dir(file)
	} else if info, err := os.Stat(file); err == nil && info.IsDir() {
		return invocation.Refuse("the picture %s is a folder: use another file", file)
	}
	if err := writable(path); err != nil {
		return invocation.Refuse("the picture %s cannot be written: %s: %w; use a file in a folder that exists and is yours", file, path, err)
	}
	return nil
}

// writable tries to write to a file, which it does not change, or to a folder, in which it leaves nothing.
func writable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return errors.Unwrap(err)
	}
	var file *os.File
	if info.IsDir() {
		if file, err = os.CreateTemp(path, ".new-*"); err == nil {
			defer func() { _ = os.Remove(file.Name()) }()
		}
	} else {
		file, err = atomicfile.OpenInto(path, 0, 0)
	}
	if err != nil {
		return errors.Unwrap(err)
	}
	return file.Close()
}

// writePicture writes a picture in the format of the file's ending, and the file's path to stdout.
func writePicture(c *invocation.Invocation, file string, p *automation.Picture) error {
	var text []byte
	switch filepath.Ext(file) {
	case ".svg":
		text = p.SVG()
	case ".md":
		text = p.Markdown()
	default:
		var err error
		if text, err = p.HTML(); err != nil {
			return err
		}
	}
	return writePage(c, file, text)
}

// writePage writes the page of a picture into a file, and reports it.
func writePage(c *invocation.Invocation, file string, text []byte) error {
	if err := atomicfile.WriteInto(file, text, 0o644); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	if c.JSON != nil {
		c.JSON.Write("picture", map[string]string{"file": file})
		return nil
	}
	c.Say("picture: %s", file)
	return nil
}

package view

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// CheckPictureFile refuses a file whose extension is not a format of a picture, or that cannot be written, before anything is done.
func CheckPictureFile(file string) error {
	if !slices.Contains([]string{".html", ".svg", ".md"}, filepath.Ext(file)) {
		return invocation.Refuse("%s is not a picture's file: use a name that ends with .html, .svg or .md", file)
	}
	const writable = 2 // W_OK of access(2)
	path := file
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		path = filepath.Dir(file)
	} else if info, err := os.Stat(file); err == nil && info.IsDir() {
		return invocation.Refuse("the picture %s is a folder: use another file", file)
	}
	if err := syscall.Access(path, writable); err != nil {
		return invocation.Refuse("the picture %s cannot be written: %s: %w; use a file in a folder that exists and is yours", file, path, err)
	}
	return nil
}

// WritePicture writes a picture in the format of the file's ending, and the file's path to stdout.
func WritePicture(c *invocation.Invocation, file string, p *automation.Picture) error {
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
	return WritePage(c, file, text)
}

// WritePage writes the page of a picture into a file, and reports it.
func WritePage(c *invocation.Invocation, file string, text []byte) error {
	if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // a picture contains no secrets
		return fmt.Errorf("writing the picture: %w", err)
	}
	if c.JSON != nil {
		c.JSON.Write("picture", map[string]string{"file": file})
		return nil
	}
	c.Say("picture: %s", file)
	return nil
}

// MarkdownToStdout is the value of --markdown that means stdout.
const MarkdownToStdout = "-"

// AddMarkdown adds --markdown, whose value is optional: --markdown writes to stdout, --markdown FILE and --markdown=FILE to a file. An
// optional value cannot follow a space, so in the second form FILE is parsed as the only argument of the command.
func AddMarkdown(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "markdown", "", "write a summary for a pull request as Markdown to this `FILE`, or without FILE to stdout")
	cmd.Flags().Lookup("markdown").NoOptDefVal = MarkdownToStdout
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if *file == MarkdownToStdout && len(args) == 1 {
			*file = args[0]
			return nil
		}
		return invocation.ArgsOfUse(cmd, args)
	}
}

// WriteMarkdown writes a summary to the target of --markdown, if the flag is set; with -o json it writes object to stdout instead of the
// text.
func WriteMarkdown(c *invocation.Invocation, file, text string, object any) error {
	switch file {
	case "":
		return nil
	case MarkdownToStdout:
		if c.JSON != nil {
			c.JSON.Write("markdown", object)
			return nil
		}
		c.Print(text)
		return nil
	}
	if err := atomicfile.Write(file, []byte(c.WithFlags(text))); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	c.Say("summary: %s", file)
	return nil
}

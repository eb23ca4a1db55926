// Command reference writes a page for each command of the CLI into a folder: manual pages, or the Markdown of
// docs/commands. The date on the manual pages is SOURCE_DATE_EPOCH, in seconds, so that equal sources give equal pages.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
)

func main() {
	if err := write(os.Args[1:], os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func write(args []string, epoch string) error {
	if len(args) != 2 || args[0] != "man" && args[0] != "markdown" {
		return fmt.Errorf("usage: reference man|markdown FOLDER")
	}
	format, folder := args[0], args[1]
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root := cli.Command(features.All())
	root.DisableAutoGenTag = true
	if format == "markdown" {
		return writeMarkdown(root, folder)
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH %q: expected seconds since 1970", epoch)
	}
	date := time.Unix(seconds, 0).UTC()
	header := doc.GenManHeader{Section: "1", Date: &date, Source: "hypershift-aws", Manual: "hypershift-aws"}
	if err := doc.GenManTree(root, &header, folder); err != nil {
		return err
	}
	return eachTopic(root, folder, "-", ".1", func(topic *cobra.Command, out io.Writer) error {
		of := header
		return doc.GenMan(topic, &of, out)
	})
}

// eachTopic writes a page for each page of help that is no command, which cobra leaves out of a tree.
func eachTopic(
	root *cobra.Command, folder, separator, suffix string, write func(topic *cobra.Command, out io.Writer) error,
) error {
	for _, topic := range root.Commands() {
		if !topic.IsAdditionalHelpTopicCommand() {
			continue
		}
		var text bytes.Buffer
		if err := write(topic, &text); err != nil {
			return err
		}
		name := strings.ReplaceAll(topic.CommandPath(), " ", separator) + suffix
		if err := os.WriteFile(filepath.Join(folder, name), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// cobraHeading matches the headings that a page should have otherwise: the command, which is code, and one in capitals.
var cobraHeading = regexp.MustCompile(`(?m)^## (hypershift-aws.*)$`)

// writeMarkdown writes the pages of cobra, with a title and headings like the other pages.
func writeMarkdown(root *cobra.Command, folder string) error {
	if err := doc.GenMarkdownTree(root, folder); err != nil {
		return err
	}
	if err := eachTopic(root, folder, "_", ".md", doc.GenMarkdown); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "hypershift-aws*.md"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text = cobraHeading.ReplaceAll(text, []byte("# `$1`"))
		text = regexp.MustCompile(`(?m)^###`).ReplaceAll(text, []byte("##"))
		text = regexp.MustCompile(`(?m)^## SEE ALSO$`).ReplaceAll(text, []byte("## See also"))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

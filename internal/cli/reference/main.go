// Command reference writes a page for each command of the CLI into a folder: manual pages, or the Markdown of docs/commands. The date on the
// manual pages is SOURCE_DATE_EPOCH, in seconds, so that equal sources give equal pages.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra/doc"

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
	root := cli.Command()
	root.DisableAutoGenTag = true
	if format == "markdown" {
		return doc.GenMarkdownTree(root, folder)
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH %q: expected seconds since 1970", epoch)
	}
	date := time.Unix(seconds, 0).UTC()
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &date, Source: "hypershift-aws", Manual: "hypershift-aws"}, folder)
}

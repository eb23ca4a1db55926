// Command manpages writes the manual pages of the CLI, one per command, into the folder that its argument names. The date on the
// pages is SOURCE_DATE_EPOCH, in seconds, so that equal sources give equal pages.
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
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

func write(args []string, epoch string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: manpages FOLDER")
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH %q: expected seconds since 1970", epoch)
	}
	if err := os.MkdirAll(args[0], 0o755); err != nil {
		return err
	}
	date := time.Unix(seconds, 0).UTC()
	root := cli.Command()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &date, Source: "hypershift-aws", Manual: "hypershift-aws"}, args[0])
}

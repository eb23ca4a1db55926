package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/test/commandline"
	"github.com/hypershift-aws/hypershift-aws/test/program"
)

// recordSuggestions runs a command line. For a script, it records the commands in its messages that cannot work or do
// not help, and its JSON.
func recordSuggestions(streams invocation.Streams, args []string, run func(invocation.Streams, []string) int) int {
	folder := os.Getenv(program.Records)
	if folder == "" {
		return run(streams, args)
	}
	place, err := enter(folder)
	if err != nil {
		return failed(err)
	}
	var text, stdout bytes.Buffer
	streams.Out, streams.Err = io.MultiWriter(streams.Out, &text, &stdout), io.MultiWriter(streams.Err, &text)
	code := run(streams, args)
	if err := program.RecordJSON(folder, args, code, stdout.Bytes()); err != nil {
		return failed(err)
	}
	var faults strings.Builder
	for _, match := range invocation.Suggestion.FindAllString(text.String(), -1) {
		command := strings.Trim(match, "`")
		if err := commandline.CheckSuggestion(func() *cobra.Command {
			return cli.Command(features.All())
		}, args, command); err != nil {
			fmt.Fprintf(&faults, "%s suggests `%s`: %v\n", strings.Join(args, " "), command, err)
		}
	}
	for _, fault := range place.followAll(text.String()) {
		faults.WriteString(fault + "\n")
	}
	if faults.Len() == 0 {
		return code
	}
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(os.Getpid())), []byte(faults.String()), 0o600); err != nil {
		return failed(err)
	}
	return code
}

package view

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// MarkdownToStdout is the value of --markdown that means stdout.
const MarkdownToStdout = "-"

// AddMarkdown adds --markdown, whose value is optional: --markdown writes to stdout, --markdown FILE and
// --markdown=FILE to a file. An optional value cannot follow a space, so in the second form FILE is parsed as the only
// argument of the command.
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

// WriteMarkdown writes a summary to the target of --markdown, if the flag is set; with -o json it writes object to
// stdout instead of the text.
func WriteMarkdown(c *invocation.Invocation, file, text string, object any) error {
	switch file {
	case "":
		return nil
	case MarkdownToStdout:
		if c.JSON != nil {
			c.JSON.Write("markdown", object)
			return nil
		}
		c.Document()
		c.Print(text)
		return nil
	}
	if err := atomicfile.Write(file, []byte(c.WithFlags(text))); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	c.Say("summary: %s", file)
	return nil
}

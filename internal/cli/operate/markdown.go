package operate

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/pullrequest"
)

// toStdout is the value of --markdown that means stdout.
const toStdout = "-"

func addMarkdown(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "markdown", "", "write a summary for a pull request as Markdown: --markdown to stdout, --markdown=`FILE` to a file")
	cmd.Flags().Lookup("markdown").NoOptDefVal = toStdout
}

// writeMarkdown writes a comment to where --markdown says, if it is given.
func writeMarkdown(c *invocation.Invocation, file string, comment pullrequest.Comment) error {
	switch file {
	case "":
		return nil
	case toStdout:
		if c.JSON != nil {
			c.JSON.Write("markdown", map[string]string{"text": comment.Markdown()})
			return nil
		}
		_, err := fmt.Fprint(c.Streams.Out, comment.Markdown())
		return err
	}
	if err := atomicfile.Write(file, []byte(comment.Markdown())); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	c.Say("summary: %s", file)
	return nil
}

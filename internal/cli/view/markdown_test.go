package view

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// An optional value of a flag cannot follow a space, so that pflag takes the file for an argument.
func TestMarkdownIsWrittenToStdoutOrToTheFileAfterTheFlag(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line    []string
		file    string
		refused bool
	}{
		"no flag":         {file: ""},
		"no file":         {line: []string{"--markdown"}, file: MarkdownToStdout},
		"after a space":   {line: []string{"--markdown", "plan.md"}, file: "plan.md"},
		"after an =":      {line: []string{"--markdown=plan.md"}, file: "plan.md"},
		"an argument":     {line: []string{"plan.md"}, refused: true},
		"two files":       {line: []string{"--markdown", "a.md", "b.md"}, refused: true},
		"a file and more": {line: []string{"--markdown=a.md", "b.md"}, refused: true},
	} {
		var file string
		cmd := &cobra.Command{Use: "preview", RunE: func(*cobra.Command, []string) error { return nil }, SilenceErrors: true, SilenceUsage: true}
		AddMarkdown(cmd, &file)
		cmd.SetArgs(c.line)
		err := cmd.Execute()
		assert.Equal(t, c.refused, err != nil, "%s: %v", name, err)
		if !c.refused {
			assert.Equal(t, c.file, file, name)
		}
	}
}

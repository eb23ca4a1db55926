package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/test/commandline"
)

// eachCommand calls do for each command of the tree that users may call.
func eachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			eachCommand(sub, do)
		}
	}
}

func TestTheHelpOfEachCommandFitsInto80ColumnsAndItsExamplesCanBeRun(t *testing.T) {
	t.Parallel()
	examples := 0
	eachCommand(Command(features.All()), func(cmd *cobra.Command) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		require.NoError(t, cmd.Help())
		for line := range strings.Lines(out.String()) {
			assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 80, "%s: %s", cmd.CommandPath(), line)
		}
		if !cmd.HasParent() {
			return
		}
		require.NotEmpty(t, cmd.Example, cmd.CommandPath())
		shows := false
		for _, line := range commandline.ProgramLines(cmd.Example) {
			examples++
			example, err := commandline.Parse(Command(features.All()), line)
			require.NoError(t, err, line)
			require.NoError(t, example.Command.ValidateArgs(example.Args), line)
			shows = shows || strings.HasPrefix(example.Command.CommandPath(), cmd.CommandPath())
		}
		assert.True(t, shows, "no example of %s runs it", cmd.CommandPath())
	})
	require.Greater(t, examples, 60)
}

func TestEachCommandIsInOneGroupOfTheHelp(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, cmd := range Command(features.All()).Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "version" {
			assert.Contains(t, invocation.Groups(), cmd.GroupID, cmd.Name())
			used[cmd.GroupID] = true
		}
	}
	assert.Len(t, used, len(invocation.Groups()), "a group without a command")
}

func TestTheHelpListsCommandsByTask(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.Zero(t, runAll(invocation.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard}, []string{"--help"}))
	at := 0
	for _, title := range invocation.Groups() {
		i := strings.Index(out.String(), "\n"+title+":\n")
		require.Greater(t, i, at, title)
		at = i
	}
}

package invocation

import (
	"strings"

	"github.com/spf13/cobra"
)

// NoArgs refuses arguments of a command without arguments. For a command with subcommands, it suggests those with a similar name.
func NoArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !cmd.HasSubCommands() && (args[0] == "true" || args[0] == "false"):
		return Refuse("%s takes no arguments, but got %q: a flag that is on or off takes its value after =, as in --yes=%s", cmd.CommandPath(), args[0], args[0])
	case !cmd.HasSubCommands():
		return Refuse("%s takes no arguments, but got %q: see %s --help for its flags", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	cmd.SuggestionsMinimumDistance = 2 // letters
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		return Refuse("unknown command %q: did you mean %s?", args[0], strings.Join(similar, " or "))
	}
	return Refuse("unknown command %q: see %s --help", args[0], cmd.CommandPath())
}

package invocation

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// CheckArgs sets ArgsOfUse for a command and all its subcommands without a check.
func CheckArgs(cmd *cobra.Command) {
	if cmd.Args == nil {
		cmd.Args = ArgsOfUse
	}
	for _, sub := range cmd.Commands() {
		CheckArgs(sub)
	}
}

// allSet are the flags at the end of cobra's error on flags that exclude each other.
var allSet = regexp.MustCompile(`\[([^]]+)\] were all set$`)

// CheckFlagGroups refuses flags that exclude each other, as other wrong usage.
func CheckFlagGroups(cmd *cobra.Command) error {
	err := cmd.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	if match := allSet.FindStringSubmatch(err.Error()); match != nil {
		return Refuse("--%s cannot be used together: leave one of them out", strings.Join(strings.Fields(match[1]), " and --"))
	}
	return Refuse("%w", err)
}

// ArgsOfUse refuses arguments other than those of a command's Use line, such as "render [DIR]" and "pack FOLDER".
func ArgsOfUse(cmd *cobra.Command, args []string) error {
	names := strings.Fields(cmd.Use)[1:]
	switch {
	case len(args) > 0 && cmd.HasSubCommands():
		return unknownCommand(cmd, args[0])
	case len(args) > len(names) && (args[0] == "true" || args[0] == "false"):
		return Refuse("%s takes no arguments, but got %q: the value of a boolean flag follows an equals sign, as in --yes=%s", cmd.CommandPath(), args[0], args[0])
	case len(args) > len(names) && len(names) == 0:
		return Refuse("%s takes no arguments, but got %q: see %s --help for its flags", cmd.CommandPath(), args[0], cmd.CommandPath())
	case len(args) > len(names):
		return Refuse("%s takes only %s, but also got %q", cmd.CommandPath(), strings.Join(names, " "), args[len(names)])
	case len(args) < len(names) && !strings.HasPrefix(names[len(args)], "["):
		return Refuse("%s needs %s: see %s --help", cmd.CommandPath(), names[len(args)], cmd.CommandPath())
	}
	return nil
}

func unknownCommand(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 2 // letters
	if similar := cmd.SuggestionsFor(name); len(similar) > 0 {
		return Refuse("unknown command %q: did you mean %s?", name, strings.Join(similar, " or "))
	}
	return Refuse("unknown command %q: see %s --help", name, cmd.CommandPath())
}

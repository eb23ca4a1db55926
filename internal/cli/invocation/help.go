package invocation

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the width of help, in columns.
const helpWidth = 80

// The groups of commands in the help: a command's GroupID is one of them.
const (
	WriteFiles          = "Write files"
	OperateAStack       = "Operate a stack"
	InspectAStack       = "Inspect a stack"
	CheckBeforeAnUpdate = "Check before an update"
	TestAProgram        = "Test your own program"
	ManyStacks          = "Many stacks"
	CleanUp             = "Clean up"
	Reference           = "Reference"
)

// Groups returns the groups in the order in which the help lists them.
func Groups() []string {
	return []string{WriteFiles, OperateAStack, InspectAStack, CheckBeforeAnUpdate, TestAProgram, ManyStacks, CleanUp,
		Reference}
}

// Help writes the help of a command: what it does, examples, its subcommands by group, and its flags.
func Help(cmd *cobra.Command, _ []string) {
	out := cmd.OutOrStdout()
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	fmt.Fprint(out, Wrap(about, helpWidth)+"\n")
	if !cmd.IsAdditionalHelpTopicCommand() {
		usage(out, cmd)
	}
}

// Usage is Help without the description.
func Usage(cmd *cobra.Command) error {
	usage(cmd.OutOrStderr(), cmd)
	return nil
}

func usage(out io.Writer, cmd *cobra.Command) {
	fmt.Fprintln(out, "Usage:")
	_, args, _ := strings.Cut(cmd.Use, " ")
	if !cmd.HasAvailableSubCommands() || args != "" {
		fmt.Fprintf(out, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(out, "  %s COMMAND [flags]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(out, "\nExamples:\n%s\n", cmd.Example)
	}
	for _, group := range cmd.Groups() {
		listCommands(out, cmd, group.Title, group.ID)
	}
	listCommands(out, cmd, "Commands", "")
	listTopics(out, cmd)
	if cmd.HasAvailableLocalFlags() {
		fmt.Fprintf(out, "\nFlags:\n%s", flagUsages(cmd.LocalFlags()))
	}
	if cmd.HasAvailableInheritedFlags() {
		fmt.Fprintf(out, "\nFlags of all commands:\n%s", flagUsages(cmd.InheritedFlags()))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(out, "\n%s COMMAND --help describes a command.\n", cmd.CommandPath())
	}
}

// flagUsages describes flags in two columns. A long name has its description on the next line.
func flagUsages(flags *pflag.FlagSet) string {
	const column = 27
	var b strings.Builder
	for line := range strings.Lines(flags.FlagUsages()) { // each "  -f, --flag name   text", padded to the longest
		text := strings.TrimLeft(line, " ")
		name, text, _ := strings.Cut(text, "   ")
		name = strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))) + name
		described := strings.Split(strings.TrimSuffix(Wrap(strings.TrimSpace(text), helpWidth-column), "\n"), "\n")
		if len(name) > column-2 {
			b.WriteString(name + "\n")
			name = ""
		}
		for _, text := range described {
			fmt.Fprintf(&b, "%-*s%s\n", column, name, text)
			name = ""
		}
	}
	return b.String()
}

// listCommands lists the subcommands of a group.
func listCommands(out io.Writer, cmd *cobra.Command, title, group string) {
	for _, sub := range cmd.Commands() {
		if sub.GroupID != group || !sub.IsAvailableCommand() {
			continue
		}
		if title != "" {
			fmt.Fprintf(out, "\n%s:\n", title)
			title = ""
		}
		fmt.Fprintf(out, "  %-*s  %s\n", sub.NamePadding(), sub.Name(), sub.Short)
	}
}

// listTopics lists the pages of help that are no commands.
func listTopics(out io.Writer, cmd *cobra.Command) {
	title := "\nTopics of " + cmd.CommandPath() + " help:\n"
	for _, sub := range cmd.Commands() {
		if sub.IsAdditionalHelpTopicCommand() {
			fmt.Fprintf(out, "%s  %-*s  %s\n", title, sub.NamePadding(), sub.Name(), sub.Short)
			title = ""
		}
	}
}

// helpCommand returns the command that shows the help of another.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(found, rest[0])
			}
			return found.Help()
		},
	}
}

// Wrap fills the paragraphs of a text to a width. Indented lines keep their line breaks, and a command in backquotes is
// one word.
func Wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	end := func() {
		if column > 0 {
			b.WriteString("\n")
		}
		column = 0
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == ' ' || line[0] == '\t' {
			end()
			b.WriteString(line + "\n")
			continue
		}
		for _, found := range gapAndWord.FindAllStringSubmatch(line, -1) {
			word := found[2]
			length := len([]rune(word))
			switch {
			case column == 0:
			case column+1+length > width:
				end()
			default:
				b.WriteString(" ")
				column++
			}
			b.WriteString(word)
			column += length
		}
	}
	end()
	return b.String()
}

// Package commandline parses command lines of this program, as scripts, pages and messages show them.
package commandline

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Parsed is a command line after the flags of its command are Parsed.
type Parsed struct {
	Command *cobra.Command
	Args    []string
}

// Parse finds the command of a line, without the program's name, and parses its flags. root is a new tree of commands.
func Parse(root *cobra.Command, line []string) (Parsed, error) {
	command, rest, err := root.Find(line)
	if err != nil {
		return Parsed{}, err
	}
	if command == root {
		return Parsed{}, fmt.Errorf("no command")
	}
	if err := command.ParseFlags(rest); err != nil {
		return Parsed{}, err
	}
	return Parsed{command, command.Flags().Args()}, nil
}

// ShellWords splits a command line at spaces outside quotes.
func ShellWords(line string) (words []string) {
	word, quote, begun := "", rune(0), false
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case r == ' ' && quote == 0:
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		default:
			word, begun = word+string(r), true
		}
	}
	if begun {
		words = append(words, word)
	}
	return words
}

// ProgramLines returns the command lines of this program in the text of a shell, without its name.
func ProgramLines(script string) (lines [][]string) {
	add := func(words []string) {
		for len(words) > 0 && strings.Contains(words[0], "=") { // a variable of this command line alone
			words = words[1:]
		}
		if len(words) > 0 && words[0] == "hypershift-aws" {
			lines = append(lines, words[1:])
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(script, "\\\n", " ")) {
		begin, words := 0, ShellWords(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		for i, word := range words {
			if !slices.Contains([]string{"|", "||", "&&", ";", ">", "#"}, word) {
				continue
			}
			add(words[begin:i])
			if begin = i + 1; word == "#" {
				begin = len(words)
				break
			}
		}
		add(words[begin:])
	}
	return lines
}

// CheckSuggestion returns an error unless a suggested command exists, accepts its flags, and works where the command
// line did that suggested it. root returns a new tree of commands.
func CheckSuggestion(root func() *cobra.Command, line []string, command string) error {
	suggested, err := Parse(root(), ShellWords(command)[1:])
	if err != nil {
		return err
	}
	if err := suggested.Command.ValidateArgs(suggested.Args); err != nil {
		return err
	}
	ran, err := Parse(root(), line)
	if err != nil || slices.Contains([]string{"sandbox", "prices", "plan-policies", "version", "schema"},
		strings.Fields(command)[1]) {
		return nil //nolint:nilerr // a command line with wrong flags has none to repeat
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	fleet := strings.HasPrefix(ran.Command.CommandPath(), "hypershift-aws fleet")
	for _, name := range []string{"offline", "dir", "backend", "stack"} {
		want, got := ran.Command.Flag(name), suggested.Command.Flag(name)
		switch {
		case !want.Changed || name == "backend" && suggested.Command.Flag("offline").Changed:
		case name == "dir" && !got.Changed && slices.Contains([]string{"[.]", "[" + here + "]"}, want.Value.String()):
		case !got.Changed && (name != "dir" || !fleet) && (name != "stack" || !strings.Contains(command, " fleet ")):
			return fmt.Errorf("--%s is missing", name)
		case got.Changed && name != "stack" && !fleet && got.Value.String() != want.Value.String():
			return fmt.Errorf("--%s is %s, not %s", name, got.Value, want.Value)
		}
	}
	return nil
}

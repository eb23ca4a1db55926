package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// suggestion is a command that this program suggested, and the command line that it ran.
type suggestion struct {
	Ran     []string `json:"ran"`
	Command string   `json:"command"`
}

// suggestionsFolder is the environment variable of the folder in which each process of a script writes what it suggested.
const suggestionsFolder = "SUGGESTIONS"

// recordSuggestions runs a command line, and records the commands in its messages.
func recordSuggestions(streams invocation.Streams, args []string, run func(invocation.Streams, []string) int) int {
	var text bytes.Buffer
	streams.Out, streams.Err = io.MultiWriter(streams.Out, &text), io.MultiWriter(streams.Err, &text)
	stdout := &bytes.Buffer{}
	streams.Out = io.MultiWriter(streams.Out, stdout)
	code := run(streams, args)
	folder := os.Getenv(suggestionsFolder)
	if folder == "" {
		return code
	}
	if err := recordJSON(folder, args, code, stdout.Bytes()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	matches := invocation.Suggestion.FindAllString(text.String(), -1)
	if len(matches) == 0 {
		return code
	}
	var list []suggestion
	for _, match := range matches {
		list = append(list, suggestion{args, strings.Trim(match, "`")})
	}
	content, err := json.Marshal(list)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, fmt.Sprint(os.Getpid())), content, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// checkSuggestions adds to the setup of scripts the check of what they suggest, after the last script.
func checkSuggestions(t *testing.T, setup func(*testscript.Env) error) func(*testscript.Env) error {
	t.Helper()
	folder := t.TempDir()
	t.Cleanup(func() {
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file.Name(), jsonRecord) {
				checkJSON(t, filepath.Join(folder, file.Name()))
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, file.Name()))
			require.NoError(t, err)
			var list []suggestion
			require.NoError(t, json.Unmarshal(text, &list))
			for _, s := range list {
				assert.NoError(t, s.check(), "%s suggests `%s`", strings.Join(s.Ran, " "), s.Command)
			}
		}
	})
	return func(env *testscript.Env) error {
		env.Setenv(suggestionsFolder, folder)
		return setup(env)
	}
}

// parsed is a command line after the flags of its command are parsed.
type parsed struct {
	command *cobra.Command
	args    []string
}

func parse(line []string) (parsed, error) {
	root := Command(features.All())
	command, rest, err := root.Find(line)
	if err != nil {
		return parsed{}, err
	}
	if command == root {
		return parsed{}, fmt.Errorf("no command")
	}
	if err := command.ParseFlags(rest); err != nil {
		return parsed{}, err
	}
	return parsed{command, command.Flags().Args()}, nil
}

// check returns an error unless the command exists, accepts its flags, and works where the command line did that suggested it.
func (s suggestion) check() error {
	suggested, err := parse(shellWords(s.Command)[1:])
	if err != nil {
		return err
	}
	if err := suggested.command.ValidateArgs(suggested.args); err != nil {
		return err
	}
	ran, err := parse(s.Ran)
	if err != nil || slices.Contains([]string{"sandbox", "prices", "plan-policies", "version", "schema"}, strings.Fields(s.Command)[1]) {
		return nil //nolint:nilerr // a command line with wrong flags has none to repeat
	}
	fleet := strings.HasPrefix(ran.command.CommandPath(), "hypershift-aws fleet")
	for _, name := range []string{"offline", "dir", "backend", "stack"} {
		want, got := ran.command.Flag(name), suggested.command.Flag(name)
		switch {
		case !want.Changed || name == "backend" && suggested.command.Flag("offline").Changed:
		case !got.Changed && (name != "dir" || !fleet) && (name != "stack" || !strings.Contains(s.Command, " fleet ")):
			return fmt.Errorf("--%s is missing", name)
		case got.Changed && name != "stack" && !fleet && got.Value.String() != want.Value.String():
			return fmt.Errorf("--%s is %s, not %s", name, got.Value, want.Value)
		}
	}
	return nil
}

// shellWords splits a command line at spaces outside quotes.
func shellWords(line string) (words []string) {
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

// programLines returns the command lines of this program in the text of a shell, without its name.
func programLines(script string) (lines [][]string) {
	add := func(words []string) {
		for len(words) > 0 && strings.Contains(words[0], "=") { // a variable of this command line alone
			words = words[1:]
		}
		if len(words) > 0 && words[0] == "hypershift-aws" {
			lines = append(lines, words[1:])
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(script, "\\\n", " ")) {
		begin, words := 0, shellWords(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
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

func TestASuggestionThatCannotWorkIsFound(t *testing.T) {
	t.Parallel()
	for command, ok := range map[string]bool{
		"hypershift-aws up -s dev --offline -C 'my folder'":                true,
		"hypershift-aws sweep -s dev --offline -C 'my folder'":             true,
		"hypershift-aws prices update --region us-east-1":                  true,
		"hypershift-aws up -s dev -C 'my folder'":                          false,
		"hypershift-aws up -s dev --offline":                               false,
		"hypershift-aws up -s dev --offline -C other":                      false,
		"hypershift-aws ascend -s dev --offline -C 'my folder'":            false,
		"hypershift-aws up -s dev --quietly --offline -C 'my folder'":      false,
		"hypershift-aws up dev -s dev --offline -C 'my folder'":            false,
		"hypershift-aws refresh --forget-pending --offline -C 'my folder'": false,
	} {
		err := suggestion{[]string{"-C", "my folder", "--offline", "-s", "dev", "preview"}, command}.check()
		assert.Equal(t, ok, err == nil, "%s: %v", command, err)
	}
}

package invocation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Suggestion matches a command of this program in a message: messages write it in backquotes.
var Suggestion = regexp.MustCompile("`hypershift-aws ((?:--offline(?:-empty)? )*[a-z][^`\n]*)`")

// plainWord matches an argument that a shell does not change.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// withoutStack are the commands that read no stack of a project.
var withoutStack = []string{"completion", "help", "plan-policies", "prices", "sandbox", "schema", "version"}

// Quote returns an argument as a shell needs it.
func Quote(arg string) string {
	if plainWord.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// WithFlags returns a text in which each suggested command has the caller's -C, -s, --backend and --offline, unless it
// sets them itself: a command that a user pastes works on the same stack in the same account. Every text for users
// passes through it, so the messages themselves contain commands without these flags. --offline is first: no part of a
// command that was broken or cut off works on AWS.
func (s *selection) WithFlags(text string) string {
	return s.withFlags(text, func(flags string) string { return flags })
}

// withFlags is like WithFlags for an encoded text: encode encodes the flags.
func (s *selection) withFlags(text string, encode func(string) string) string {
	return Suggestion.ReplaceAllStringFunc(text, func(match string) string {
		command := strings.TrimPrefix(strings.Trim(match, "`"), program)
		first, last := s.missingFlags(command)
		return "`" + program + first + command + encode(last) + "`"
	})
}

// program is the program's name in a command.
const program = "hypershift-aws "

// missingFlags returns the caller's flags that a command does not set: those before it, each before a space, and those
// after it, each after one.
func (s *selection) missingFlags(command string) (first, last string) {
	set := map[string]bool{}
	words := strings.Fields(command)
	for _, word := range words {
		name, _, _ := strings.Cut(word, "=")
		set[name] = true
	}
	verb := words[slices.IndexFunc(words, func(word string) bool { return !strings.HasPrefix(word, "-") })]
	if slices.Contains(withoutStack, verb) {
		return "", ""
	}
	var flags []string
	if s.Stack != "" && verb != "fleet" && !set["-s"] && !set["--stack"] {
		flags = append(flags, "-s", Quote(s.Stack))
	}
	if (len(s.Dirs) == 1 || verb == "fleet") && !set["-C"] && !set["--dir"] {
		for _, dir := range s.Dirs {
			if len(s.Dirs) > 1 || !isHere(dir) {
				flags = append(flags, "-C", Quote(dir))
			}
		}
	}
	if s.backend != "" && !set["--backend"] && !set["--offline"] {
		flags = append(flags, "--backend", Quote(s.backend))
	}
	if s.Offline && !set["--offline"] {
		first = "--offline "
	}
	if s.emptyAccount && !set["--offline-empty"] {
		first += "--offline-empty "
	}
	if len(flags) > 0 {
		last = " " + strings.Join(flags, " ")
	}
	return first, last
}

// isHere reports whether a folder is the working directory, in which a command needs no -C.
func isHere(dir string) bool {
	here, err := os.Getwd()
	return err == nil && slices.Contains([]string{".", here}, filepath.Clean(dir))
}

// withFlagsJSON is WithFlags for a line of JSON.
func (s *selection) withFlagsJSON(line string) string {
	return s.withFlags(line, func(flags string) string {
		text, err := json.Marshal(flags)
		if err != nil {
			return ""
		}
		return strings.Trim(string(text), `"`)
	})
}

// Print writes a text for users to stdout.
func (c *Invocation) Print(text string) {
	write := func() { fmt.Fprint(c.Streams.Out, c.WithFlags(text)) }
	if c.progress == nil {
		write()
		return
	}
	c.progress.Aside(write)
}

// escaping writes texts for users without the control characters of others.
type escaping struct {
	out   io.Writer
	style report.Style
	// lost is called with each error of out, nil for a stream whose loss ends nothing.
	lost func(error)
}

// Write implements io.Writer.
func (e escaping) Write(text []byte) (int, error) {
	_, err := io.WriteString(e.out, e.style.Lines(string(text)))
	if err != nil && !errors.Is(err, syscall.EPIPE) { // a reader such as head has what it wants
		if e.lost != nil {
			e.lost(err)
		}
		return 0, err
	}
	return len(text), nil
}

// messages writes texts for users; a command is never split between two writes.
type messages struct {
	out   io.Writer
	flags func(string) string
}

// Write implements io.Writer.
func (m messages) Write(text []byte) (int, error) {
	if _, err := io.WriteString(m.out, m.flags(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

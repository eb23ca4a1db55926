package report

import (
	"fmt"
	"strings"
	"time"
)

// Style colours text for a terminal. Its zero value leaves text plain: a colour repeats what the text says, and never
// says it alone.
type Style struct{ Colours bool }

// Colour is a colour or an emphasis of a terminal.
type Colour int

// The colours.
const (
	Bold    Colour = 1
	Dim     Colour = 2
	Red     Colour = 31
	Green   Colour = 32
	Yellow  Colour = 33
	Magenta Colour = 35
	Cyan    Colour = 36
)

// Paint returns the text in a colour.
func (s Style) Paint(colour Colour, text string) string {
	if !s.Colours || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", int(colour), text)
}

// NewStyle returns the style of a stream by the usual conventions: colours on a terminal that can show them, unless
// NO_COLOR is set or CLICOLOR is 0; none elsewhere, unless CLICOLOR_FORCE is set to something other than 0.
func NewStyle(terminal bool, environ func(name string) string) Style {
	force := environ("CLICOLOR_FORCE")
	switch {
	case environ("NO_COLOR") != "":
		return Style{}
	case force != "" && force != "0":
		return Style{Colours: true}
	}
	return Style{Colours: terminal && environ("CLICOLOR") != "0" && environ("TERM") != "dumb"}
}

// Shorten returns a text of at most width columns, which ends with "…" if it was cut; the whole text for a width of 0.
func Shorten(text string, width int) string {
	runes := []rune(text)
	if width <= 0 || len(runes) <= width {
		return text
	}
	return string(runes[:max(0, width-1)]) + "…"
}

// List joins phrases by commas, or by semicolons if a phrase has a comma, as many as fit into a width together with the
// number of the others; all for a width of 0.
func List(phrases []string, width int) string {
	comma := ", "
	if strings.Contains(strings.Join(phrases, ""), comma) {
		comma = "; "
	}
	whole := strings.Join(phrases, comma)
	if width <= 0 || len([]rune(whole)) <= width {
		return whole
	}
	for n := len(phrases) - 1; n > 0; n-- {
		if text := fmt.Sprintf("%s and %d more", strings.Join(phrases[:n], comma), len(phrases)-n); len([]rune(text)) <= width {
			return text
		}
	}
	return Shorten(whole, width)
}

// Log is the kind of a log, by which lines can be grouped.
type Log string

// The logs. The zero value has no groups.
const (
	GitHubActions Log = "github"
	GitLab        Log = "gitlab"
)

// NewLog returns the log of a pipeline, by the variables that it sets.
func NewLog(environ func(name string) string) Log {
	switch {
	case environ("GITHUB_ACTIONS") == "true":
		return GitHubActions
	case environ("GITLAB_CI") == "true":
		return GitLab
	}
	return ""
}

// groupTitle is the title of the lines about resources.
const groupTitle = "resources"

// begin returns what begins a group of lines about resources.
func (l Log) begin(now time.Time) string {
	switch l {
	case GitHubActions:
		return "::group::" + groupTitle + "\n"
	case GitLab:
		return fmt.Sprintf("\x1b[0Ksection_start:%d:%s\r\x1b[0K%s\n", now.Unix(), groupTitle, groupTitle)
	}
	return ""
}

// end returns what ends the group.
func (l Log) end(now time.Time) string {
	switch l {
	case GitHubActions:
		return "::endgroup::\n"
	case GitLab:
		return fmt.Sprintf("\x1b[0Ksection_end:%d:%s\r\x1b[0K\n", now.Unix(), groupTitle)
	}
	return ""
}

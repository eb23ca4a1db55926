package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// What AWS, Kubernetes, the engine or a file says may have any character. A control character could clear or colour a
// terminal, begin a line that looks like one of this program, or be a command to the log of a pipeline. Texts are
// therefore escaped where they are composed (OneLine, Sentence), and again where they are written (Style.Lines). The
// escapes are those of JSON, so that a line of JSON keeps its meaning.

// OneLine returns a value of others for a line of this program: every control character is escaped, line breaks and
// tabs too.
func OneLine(text string) string {
	return escaped(text, func(rune) bool { return false })
}

// Lines returns a composed text in which control characters are escaped, except line breaks, tabs and, in a style with
// colours, those of Paint. A line that a pipeline would read as a command is none any more.
func (s Style) Lines(text string) string {
	text = commands.ReplaceAllString(text, "$1\\u003a$2")
	allowed := func(r rune) bool { return r == '\n' || r == '\t' }
	if !s.Colours {
		return escaped(text, allowed)
	}
	var b strings.Builder
	for {
		colour := painted.FindStringIndex(text)
		if colour == nil {
			return b.String() + escaped(text, allowed)
		}
		b.WriteString(escaped(text[:colour[0]], allowed) + text[colour[0]:colour[1]])
		text = text[colour[1]:]
	}
}

// Sentence formats a sentence. The format is this program's; arguments that are text are values, and errors may have
// several lines.
func Sentence(format string, args ...any) string {
	for i, arg := range args {
		switch value := arg.(type) {
		case string:
			args[i] = OneLine(value)
		case error:
			args[i] = Style{}.Lines(value.Error())
		}
	}
	return fmt.Sprintf(format, args...)
}

// painted matches what Paint writes, and commands a line that GitHub Actions reads as a command, which may follow
// spaces.
var (
	painted  = regexp.MustCompile("\x1b\\[(0|1|2|31|32|33|35|36)m")
	commands = regexp.MustCompile(`(?m)^([\s\x{85}\x{a0}]*):(:[A-Za-z])`)
)

// escaped escapes control characters, and those that reverse the order of others, unless they are allowed. A carriage
// return before a line break stays.
func escaped(text string, allowed func(rune) bool) string {
	if strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case !isControl(r), allowed(r), r == '\r' && allowed('\n') && strings.HasPrefix(text[i:], "\r\n"):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func isControl(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

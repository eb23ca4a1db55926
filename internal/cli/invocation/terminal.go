package invocation

import (
	"io"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// terminal writes lines to a terminal: it colours verdicts, and breaks what is wider than the terminal between words.
type terminal struct {
	out   io.Writer
	width func() int
	style report.Style
	// plain points to true if the text is a document or JSON, which stays as it is; nil if it is never.
	plain *bool
}

// onTerminal returns what writes to a stream with this width, which is nil if it is not a terminal: the stream itself
// then.
func (c *Invocation) onTerminal(out io.Writer, width func() int, plain *bool) io.Writer {
	if width == nil {
		return out
	}
	return terminal{out, width, c.Style(width), plain}
}

func (t terminal) Write(text []byte) (int, error) {
	shown := string(text)
	if t.plain == nil || !*t.plain {
		shown = wrap(paintVerdicts(shown, t.style), t.width())
	}
	if _, err := io.WriteString(t.out, shown); err != nil {
		return 0, err
	}
	return len(text), nil
}

// The words that have a colour where they are a line, a severity at the beginning of a line, or a column of their own.
var (
	offline  = regexp.MustCompile(`(?m)^offline$`)
	outside  = regexp.MustCompile(`(?m)\bwas (deleted|changed)$`)
	severity = regexp.MustCompile(`(?m)^(error|warning|(?:fleet )?up would refuse this plan):`)
	verdict  = regexp.MustCompile(`(?m)(^ *|  |^\S+: | \d+ )(fails|breaks|failed|failing|refused|warns|progressing|locked|passes|holds|ready|succeeded)(  |:|$)`)
)

func colourOf(word string) report.Colour {
	switch word {
	case "error", "up would refuse this plan", "fleet up would refuse this plan", "fails", "breaks", "failed", "failing",
		"refused":
		return report.Red
	case "passes", "holds", "ready", "succeeded":
		return report.Green
	}
	return report.Yellow
}

func paintVerdicts(text string, style report.Style) string {
	if !style.Colours {
		return text
	}
	text = offline.ReplaceAllStringFunc(text, func(match string) string { return style.Paint(report.Dim, match) })
	text = severity.ReplaceAllStringFunc(text, func(match string) string {
		return style.Paint(colourOf(strings.TrimSuffix(match, ":")), match)
	})
	text = outside.ReplaceAllStringFunc(text, func(match string) string {
		if match == "was deleted" {
			return style.Paint(report.Red, match)
		}
		return style.Paint(report.Yellow, match)
	})
	return verdict.ReplaceAllStringFunc(text, func(match string) string {
		parts := verdict.FindStringSubmatch(match)
		return parts[1] + style.Paint(colourOf(parts[2]), parts[2]) + parts[3]
	})
}

var (
	// gapAndWord matches a word with the spaces before it. A command in backquotes is one word.
	gapAndWord = regexp.MustCompile("( *)([^\\s`]*`[^`]*`[^\\s`]*|\\S+)")
	gapAndPart = regexp.MustCompile(`( *)(\S+)`)
	columnGap  = regexp.MustCompile(`\S {2,}\S`)
	// toCopy matches a command to copy, of this program or another, and a line of a stack's file.
	toCopy   = regexp.MustCompile("`(hypershift-aws|hypershift|pulumi|aws|oc|kubectl) [^`\n]+`")
	fileLine = regexp.MustCompile(`^ *- \{.+\}$`)
)

// wrap breaks lines that are wider than a terminal between words, and indents what follows: below the last column of a
// line with columns, otherwise two columns deeper than the line. A word that is wider than the terminal stays whole. So
// do a command to copy, which has a line of its own there, and a line of a stack's file: a terminal copies a line that
// it has broken itself whole.
func wrap(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		wrapLine(&b, line, width)
	}
	return b.String()
}

func wrapLine(b *strings.Builder, line string, width int) {
	text := strings.TrimRight(line, " \n")
	if ansi.StringWidth(text) <= width || fileLine.MatchString(text) {
		b.WriteString(line)
		return
	}
	indent, column := hanging(text, width), 0
	alone := false // the last word has a line of its own
	write := func(gap, word string) {
		own := toCopy.MatchString(word)
		if column > 0 && (alone || own || column+len(gap)+ansi.StringWidth(word) > width) {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column, gap = indent, ""
		}
		b.WriteString(gap + word)
		column += len(gap) + ansi.StringWidth(word)
		alone = own
	}
	for _, found := range gapAndWord.FindAllStringSubmatch(text, -1) {
		if indent+ansi.StringWidth(found[2]) <= width || toCopy.MatchString(found[2]) {
			write(found[1], found[2])
			continue
		}
		for i, part := range gapAndPart.FindAllStringSubmatch(found[2], -1) {
			if i == 0 {
				part[1] = found[1]
			}
			write(part[1], part[2])
		}
	}
	b.WriteString(line[len(text):])
}

// hanging returns the indent of what follows a line's first row.
func hanging(line string, width int) int {
	plain := ansi.Strip(line)
	indent := len(plain) - len(strings.TrimLeft(plain, " "))
	if all := columnGap.FindAllStringIndex(plain[indent:], -1); all != nil {
		last := all[len(all)-1]
		if start := ansi.StringWidth(plain[:indent+last[1]-1]); start <= width/2 {
			return start
		}
	}
	return min(indent+2, width/2)
}

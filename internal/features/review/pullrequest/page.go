package pullrequest

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Limit is GitHub's limit of a comment, in characters. A page is counted in bytes, which are not fewer.
const Limit = 65536

// page is a comment with a limited length.
type page struct {
	b     strings.Builder
	limit int
}

// reserve is the space for the sentence about what was omitted.
const reserve = 200

// add writes text if it fits completely.
func (p *page) add(text string) bool {
	text = report.Style{}.Lines(text)
	if p.b.Len()+len(text) > p.limit-reserve {
		return false
	}
	p.b.WriteString(text)
	return true
}

// lines writes as many lines as fit, and the number of the omitted ones.
func (p *page) lines(lines []string, tail string) {
	for i, line := range lines {
		line = report.Style{}.Lines(line)
		if p.b.Len()+len(line)+1+len(tail) > p.limit-reserve {
			rest := fmt.Sprintf("… %d more\n", len(lines)-i)
			p.b.WriteString(rest)
			break
		}
		p.b.WriteString(line + "\n")
	}
	p.b.WriteString(tail)
}

// details writes lines that are collapsed under a title, as code if fenced is set. It writes nothing if the title does
// not fit.
func (p *page) details(title string, lines []string, fenced bool) {
	if len(lines) == 0 {
		return
	}
	head, tail := fmt.Sprintf("\n<details><summary>%s</summary>\n\n", Escape(title)), "\n</details>\n"
	if fenced {
		head, tail = head+"```\n", "```\n"+tail
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(line, "```", "'''")
		}
	}
	if p.b.Len()+len(head)+len(tail) > p.limit-2*reserve {
		return
	}
	p.b.WriteString(head)
	p.lines(lines, tail)
}

// list writes an item per line.
func (p *page) list(title string, items []string) {
	if len(items) == 0 || !p.add("\n"+title+"\n\n") {
		return
	}
	for i, item := range items {
		if !strings.HasPrefix(item, "  - ") {
			items[i] = "- " + item
		}
	}
	p.lines(items, "")
}

// Escape escapes text for HTML and for Markdown tables.
func Escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "@", "&#64;", "\n", " ").Replace(text)
}

func code(text string) string {
	return "`" + strings.NewReplacer("`", "'", "\n", " ").Replace(text) + "`"
}

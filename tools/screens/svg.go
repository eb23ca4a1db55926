package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/hinshun/vt10x"
)

// The size of a character in the font, in pixels.
const (
	charWidth, lineHeight, fontSize = 8.4, 18, 14
	margin                          = 12
)

// colors are those of a terminal.
type colors struct {
	name, foreground, background string
	// ansi are the sixteen colours, in their order.
	ansi [16]string
}

func light() colors {
	return colors{"light", "#1f2328", "#ffffff", [16]string{
		"#24292f", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#6e7781",
		"#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#424a53",
	}}
}

func dark() colors {
	return colors{"dark", "#e6edf3", "#0d1117", [16]string{
		"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
		"#8b949e", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc",
	}}
}

func (c colors) of(color vt10x.Color) string {
	if color < 16 {
		return c.ansi[color]
	}
	return c.foreground
}

// draw returns a screen as SVG: one text per run of characters with the same colour.
func (c colors) draw(lines [][]vt10x.Glyph) string {
	columns := len(lines[0])
	var b strings.Builder
	const font = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="`+font+`" font-size="%d">`+"\n",
		float64(columns)*charWidth+2*margin, len(lines)*lineHeight+2*margin, fontSize)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", c.background)
	const bold = 1 << 2
	for y, line := range lines {
		for x := 0; x < columns; {
			end := x + 1
			for end < columns && line[end].FG == line[x].FG && line[end].Mode&bold == line[x].Mode&bold {
				end++
			}
			var text strings.Builder
			for _, glyph := range line[x:end] {
				text.WriteRune(glyph.Char)
			}
			if strings.TrimSpace(text.String()) != "" {
				weight := ""
				if line[x].Mode&bold != 0 {
					weight = ` font-weight="bold"`
				}
				trimmed := strings.TrimRight(text.String(), " ")
				fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="%s" xml:space="preserve" textLength="%.1f"%s>%s</text>`+"\n",
					margin+float64(x)*charWidth, margin+y*lineHeight+fontSize, c.of(line[x].FG), float64(len([]rune(trimmed)))*charWidth, weight, html.EscapeString(trimmed))
			}
			x = end
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

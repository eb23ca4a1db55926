package picture

import (
	"fmt"
	"strings"
)

// font is how a text of a box is written. It knows how wide texts become at most, in the widest font that picture.css
// names, which is DejaVu Sans.
type font struct {
	size float64
	// factor is the width of a letter, compared with the plain font. Letters of a monospaced font have one width.
	factor    float64
	monospace bool
}

// The fonts of picture.css.
var (
	plain = font{size: 12, factor: 1}
	bold  = font{size: 13, factor: 1.14}
	mono  = font{size: 11, factor: 1, monospace: true}
)

// letterWidths are the widths of letters in units of the font's size, for those that differ much from the others.
var letterWidths = []struct {
	letters string
	width   float64
}{
	{"ijlI|'", .30}, {" .,:;!/-()[]ft", .40}, {"rJ\"*", .46}, {"csz_", .56}, {"w~+=<>→±", .84}, {"mMW@%…", 1},
}

// width returns how wide a text is at most, in pixels.
func (f font) width(text string) float64 {
	sum := 0.0
	for _, letter := range text {
		width := .64
		switch {
		case f.monospace:
			width = .61
		case letter >= 'A' && letter <= 'Z':
			width = .79
		}
		for _, one := range letterWidths {
			if !f.monospace && strings.ContainsRune(one.letters, letter) {
				width = one.width
			}
		}
		sum += width
	}
	return sum * f.size * f.factor
}

// shorten leaves out the middle of a text that is wider than the room for it.
func (f font) shorten(text string, room int) string {
	letters, kept := []rune(text), text
	for n := len(letters) - 1; n > 2 && f.width(kept) > float64(room); n-- {
		head := (n - 1) * 3 / 5
		kept = string(letters[:head]) + "…" + string(letters[len(letters)-(n-1-head):])
	}
	return kept
}

// fitted returns an SVG text that is shortened to its room. A narrow window is drawn larger, and page.js writes the
// whole text there in smaller letters.
func (f font) fitted(class string, x, y int, text string, room int) string {
	short, whole := f.shorten(text, room), ""
	if short != text {
		whole = fmt.Sprintf(` data-whole="%s" data-room="%d"`, escape(text), room)
	}
	return fmt.Sprintf(`<text class="%s" x="%d" y="%d"%s>%s</text>`, class, x, y, whole, escape(short))
}

package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first line of a file with differences names its base, beside it. A line with without names a block that only the
// base has.
const like, without = "like ", "without "

// RequireLike compares got with a file that has only the differences from another file beside it, its base: the blocks
// that are new or differ, and the first lines of those that are missing. A block is a line without indentation and the
// indented lines below it.
func RequireLike(t *testing.T, path, base, got string) {
	t.Helper()
	Require(t, path, differences(base, Read(t, filepath.Join(filepath.Dir(path), base)), got))
}

// Read returns the text of a file. The differences of a file from its base are applied.
func Read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	text := string(content)
	first, rest, _ := strings.Cut(text, "\n")
	base, ok := strings.CutPrefix(first, like)
	if !ok {
		return text
	}
	changed := map[string]bool{}
	for _, block := range blocks(rest) {
		changed[strings.TrimPrefix(title(block), without)] = true
	}
	var all strings.Builder
	for _, block := range blocks(Read(t, filepath.Join(filepath.Dir(path), base))) {
		if !changed[title(block)] {
			all.WriteString(block)
		}
	}
	for _, block := range blocks(rest) {
		if !strings.HasPrefix(block, without) {
			all.WriteString(block)
		}
	}
	return all.String()
}

func differences(name, base, got string) string {
	old, now := map[string]string{}, map[string]bool{}
	for _, block := range blocks(base) {
		old[title(block)] = block
	}
	text := like + name + "\n"
	for _, block := range blocks(got) {
		now[title(block)] = true
		if old[title(block)] != block {
			text += block
		}
	}
	for _, block := range blocks(base) {
		if !now[title(block)] {
			text += without + title(block) + "\n"
		}
	}
	return text
}

func title(block string) string {
	line, _, _ := strings.Cut(block, "\n")
	return line
}

func blocks(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if len(list) == 0 || !strings.HasPrefix(line, " ") {
			list = append(list, line)
		} else {
			list[len(list)-1] += line
		}
	}
	return list
}

// Package page reads the README and the pages of docs: their headings, their blocks of code, and the sessions in them.
package page

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// Shown is a command line of a document, after "$ ", as it is and as words, and the output that the document shows
// below it.
type Shown struct {
	Line, Command string
	Output        []string
}

var (
	// CodeBlock matches a code block, its language and its text.
	CodeBlock      = regexp.MustCompile("(?ms)^ *```([^\n]*)\n(.*?)^ *```$")
	commandComment = regexp.MustCompile(`\s+#.*$`)
)

// ShownCommands returns the command lines of a document's code blocks.
func ShownCommands(text string) []Shown {
	var found []Shown
	for _, block := range CodeBlock.FindAllStringSubmatch(text, -1) {
		inSession := false
		if block[1] != "" {
			continue
		}
		for line := range strings.Lines(block[2]) {
			line = strings.TrimRight(line, "\n")
			if command, isCommand := strings.CutPrefix(line, "$ "); isCommand {
				inSession = true
				found = append(found, Shown{Line: command, Command: Words(command)})
			} else if inSession {
				last := &found[len(found)-1]
				last.Output = append(last.Output, line)
			}
		}
	}
	return found
}

// Words returns a command line without quotes, comment and repeated spaces. Variables are as testscript's env has them.
func Words(command string) string {
	command = strings.NewReplacer("'", "", `"`, "").Replace(commandComment.ReplaceAllString(command, ""))
	if name, unset := strings.CutPrefix(command, "unset "); unset {
		command = name + "="
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(command, "export ")), " ")
}

// Matches reports whether the lines are those that a document shows. A shown line "..." matches any lines, and "..." or
// "…" in a line for any text.
func Matches(shown, lines []string) bool {
	if len(shown) == 0 {
		return len(lines) == 0
	}
	if strings.TrimSpace(shown[0]) == "..." {
		for skip := range len(lines) + 1 {
			if Matches(shown[1:], lines[skip:]) {
				return true
			}
		}
		return false
	}
	if len(lines) == 0 {
		return false
	}
	pattern := strings.NewReplacer(`\.\.\.`, ".*", "…", ".*").Replace(regexp.QuoteMeta(strings.TrimSpace(shown[0])))
	return regexp.MustCompile("^"+pattern+"$").MatchString(strings.TrimSpace(lines[0])) && Matches(shown[1:], lines[1:])
}

// All returns the README, the pages of docs, and the ledgers of tests, by their paths in the repository.
func All(t *testing.T) map[string]string {
	t.Helper()
	root := repo.Path()
	found := []string{filepath.Join(root, "README.md")}
	for _, folder := range []string{repo.Path("docs"), repo.Path("test", "ledgers")} {
		require.NoError(t, filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
			if filepath.Ext(file) == ".md" {
				found = append(found, file)
			}
			return err
		}))
	}
	texts := map[string]string{}
	for _, page := range found {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		name, err := filepath.Rel(root, page)
		require.NoError(t, err)
		texts[filepath.ToSlash(name)] = string(text)
	}
	return texts
}

// Anchors returns the links to the headings of a page, as GitHub derives them: in lower case, with hyphens for spaces
// and without punctuation.
func Anchors(text string) []string {
	var list []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(CodeBlock.ReplaceAllString(text, ""), -1) {
		kept := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		anchor := "#" + strings.ReplaceAll(kept, " ", "-")
		for n, first := 1, anchor; slices.Contains(list, anchor); n++ {
			anchor = fmt.Sprintf("%s-%d", first, n)
		}
		list = append(list, anchor)
	}
	return list
}

// Section returns the part of a page from the heading with an anchor to the next heading that is not below it; without
// an anchor, the page.
func Section(text, anchor string) string {
	if anchor == "" {
		return text
	}
	headings := regexp.MustCompile(`(?m)^(#+) .*$`).FindAllStringSubmatchIndex(CodeBlock.ReplaceAllStringFunc(text, func(block string) string {
		return strings.Repeat(" ", len(block)) // whose comments are no headings
	}), -1)
	level, part := 0, ""
	for i, name := range Anchors(text) {
		depth := headings[i][3] - headings[i][2]
		switch {
		case name == "#"+anchor:
			level, part = depth, text[headings[i][0]:]
		case level > 0 && depth <= level:
			return strings.TrimSuffix(part, text[headings[i][0]:])
		}
	}
	return part
}

// Blocks returns the code blocks of a page in a language.
func Blocks(page, language string) (found []string) {
	for _, block := range CodeBlock.FindAllStringSubmatch(page, -1) {
		if block[1] == language {
			found = append(found, block[2])
		}
	}
	return found
}

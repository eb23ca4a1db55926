package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shown is a command line of a document, after "$ ", as it is and as words, and the output that the document shows below it.
type shown struct {
	line, command string
	output        []string
}

var (
	codeBlock      = regexp.MustCompile("(?ms)^ *```([^\n]*)\n(.*?)^ *```$") // its language and its text
	commandComment = regexp.MustCompile(`\s+#.*$`)
)

// shownCommands returns the command lines of a document's code blocks.
func shownCommands(text string) []shown {
	var found []shown
	for _, block := range codeBlock.FindAllStringSubmatch(text, -1) {
		inSession := false
		if block[1] != "" {
			continue
		}
		for line := range strings.Lines(block[2]) {
			line = strings.TrimRight(line, "\n")
			if command, isCommand := strings.CutPrefix(line, "$ "); isCommand {
				inSession = true
				found = append(found, shown{line: command, command: words(command)})
			} else if inSession {
				last := &found[len(found)-1]
				last.output = append(last.output, line)
			}
		}
	}
	return found
}

// words returns a command line without quotes, comment and repeated spaces. Variables are as testscript's env has them.
func words(command string) string {
	command = strings.NewReplacer("'", "", `"`, "").Replace(commandComment.ReplaceAllString(command, ""))
	if name, unset := strings.CutPrefix(command, "unset "); unset {
		command = name + "="
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(command, "export ")), " ")
}

// matches reports whether the lines are those that a document shows. A shown line "..." matches any lines, and "..." or "…" in a
// line for any text.
func matches(shown, lines []string) bool {
	if len(shown) == 0 {
		return len(lines) == 0
	}
	if strings.TrimSpace(shown[0]) == "..." {
		for skip := range len(lines) + 1 {
			if matches(shown[1:], lines[skip:]) {
				return true
			}
		}
		return false
	}
	if len(lines) == 0 {
		return false
	}
	pattern := strings.NewReplacer(`\.\.\.`, ".*", "…", ".*").Replace(regexp.QuoteMeta(strings.TrimSpace(shown[0])))
	return regexp.MustCompile("^"+pattern+"$").MatchString(strings.TrimSpace(lines[0])) && matches(shown[1:], lines[1:])
}

// documented CODE DOCUMENT PROGRAM ARGS... runs a command line that the document shows. It must exit with the code and print
// what the document shows, to stdout and then to stderr; a document that shows no output leaves it open.
func documented(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: documented CODE DOCUMENT PROGRAM ARGS...")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", args[1]))
	ts.Check(err)
	exits(ts, false, append([]string{args[0]}, args[2:]...))
	command := words(strings.Join(args[2:], " "))
	printed := strings.Split(strings.TrimRight(ts.ReadFile("stdout")+ts.ReadFile("stderr"), "\n"), "\n")
	known := false
	for _, session := range shownCommands(string(text)) {
		if session.command != command {
			continue
		}
		known = true
		if len(session.output) == 0 || matches(session.output, printed) {
			return
		}
	}
	if !known {
		ts.Fatalf("%s does not show the command %s", args[1], command)
	}
	ts.Fatalf("%s shows another output for %s", args[1], command)
}

// pages returns the README and the pages of docs/, by their paths in the repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	found := []string{filepath.Join(root, "README.md")}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "docs"), func(file string, _ fs.DirEntry, err error) error {
		if filepath.Ext(file) == ".md" {
			found = append(found, file)
		}
		return err
	}))
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

// scriptLines returns the lines of all testscripts, without quotes.
func scriptLines(t *testing.T) []string {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join("testdata", "*", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	var lines []string
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			lines = append(lines, words(line))
		}
	}
	return lines
}

// runsIn returns the function that reports whether a line of a script runs a command that a page shows, and compares the output if it shows one.
func runsIn(page string, session shown) func(line string) bool {
	if len(session.output) > 0 {
		return func(line string) bool {
			return strings.HasPrefix(line, "documented ") && strings.HasSuffix(line, " "+page+" "+session.command)
		}
	}
	runs := regexp.MustCompile(`^(exec|! exec|exits \d+|documented \d+ \S+|env) `)
	return func(line string) bool {
		return runs.ReplaceAllString(line, "") == session.command && line != session.command
	}
}

func TestEveryCommandInTheDocumentsRunsInAScript(t *testing.T) {
	t.Parallel()
	lines := scriptLines(t)
	texts := pages(t)
	followed := map[string]string{} // the text of each page that scripts follow
	for _, line := range lines {
		if place, follows := strings.CutPrefix(line, "follow "); follows {
			page, heading, _ := strings.Cut(place, "#")
			followed[page] += section(texts[page], heading)
		}
	}
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	require.NoError(t, err)
	run := 0
	for name, text := range texts {
		if name == "docs/appendix/demo.md" { // the log of examples/demo
			continue
		}
		for _, session := range shownCommands(text) {
			run++
			require.True(t, strings.Contains(followed[name], "$ "+session.line+"\n") || slices.ContainsFunc(lines, runsIn(name, session)),
				"%s shows %q, with %d lines of output, and no script checks it", name, session.command, len(session.output))
		}
		for _, block := range blocks(text, "sh") {
			run++
			assert.Contains(t, followed[name], block, "%s: no script follows this block: if it cannot run offline, say where it can", name)
		}
		for _, block := range blocks(text, "sh online") {
			for _, targets := range regexp.MustCompile(`(?m)^make (.*)$`).FindAllStringSubmatch(block, -1) {
				for _, target := range strings.Fields(targets[1]) {
					assert.Regexp(t, `(?m)^`+regexp.QuoteMeta(target)+`:`, string(makefile), "%s: make %s", name, target)
				}
			}
		}
	}
	require.Greater(t, run, 90)
}

func TestTheLinksOfTheDocumentsHaveTargets(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	texts := pages(t)
	for _, name := range []string{"SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		require.NoError(t, err)
		texts[name] = string(text)
	}
	for name, text := range texts {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target := path.Join(path.Dir(name), match[1])
			if match[1] == "" {
				target = name
			}
			_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(target)))
			require.NoError(t, err, name)
			if match[2] != "" {
				assert.Contains(t, anchors(texts[target]), match[2], "%s links to %s", name, target)
			}
		}
	}
}

// anchors returns the links to the headings of a page, as GitHub derives them: in lower case, with hyphens for spaces and without punctuation.
func anchors(text string) []string {
	var list []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		kept := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		anchor := "#" + strings.ReplaceAll(kept, " ", "-")
		for n, first := 1, anchor; slices.Contains(list, anchor); n++ {
			anchor = fmt.Sprintf("%s-%d", first, n)
		}
		list = append(list, anchor)
	}
	return list
}

// section returns the part of a page from the heading with an anchor to the next heading that is not below it; without an anchor, the page.
func section(text, anchor string) string {
	if anchor == "" {
		return text
	}
	headings := regexp.MustCompile(`(?m)^(#+) .*$`).FindAllStringSubmatchIndex(codeBlock.ReplaceAllStringFunc(text, func(block string) string {
		return strings.Repeat(" ", len(block)) // whose comments are no headings
	}), -1)
	level, part := 0, ""
	for i, name := range anchors(text) {
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

// commandInText matches a command line of this program in backquotes.
var commandInText = regexp.MustCompile("`(hypershift-aws(?: (?:--offline|-[sC] \\S+))* [a-z][^`]*)`")

func TestTheCommandLinesOfTheDocumentsFitTheCommands(t *testing.T) {
	t.Parallel()
	checked := 0
	for name, text := range pages(t) {
		if strings.HasPrefix(name, "docs/commands/") { // the help, whose examples have a test of their own
			continue
		}
		for _, block := range codeBlock.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(shells, block[1]) {
				continue
			}
			for _, line := range programLines(block[2]) {
				checked++
				if found, err := parse(line); assert.NoError(t, err, "%s: %q", name, line) {
					assert.NoError(t, found.command.ValidateArgs(found.args), "%s: %q", name, line)
				}
			}
		}
		for _, match := range commandInText.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
			for _, line := range programLines(strings.ReplaceAll(match[1], "\n", " ")) {
				checked++
				if _, err := parse(line); err != nil { // a text names a flag without its value, as the last word
					_, err = parse(append(line, "0s"))
					assert.NoError(t, err, "%s: %q", name, line)
				}
			}
		}
	}
	require.Greater(t, checked, 200)
}

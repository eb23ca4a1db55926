package documents

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/test/commandline"
	"github.com/hypershift-aws/hypershift-aws/test/page"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// scriptLines returns the lines of all testscripts, without quotes.
func scriptLines(t *testing.T) []string {
	t.Helper()
	var lines []string
	read := func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			lines = append(lines, page.Words(line))
		}
		return err
	}
	for _, dir := range []string{"internal", "test"} {
		require.NoError(t, filepath.WalkDir(repo.Path(dir), read))
	}
	require.NotEmpty(t, lines)
	return lines
}

// runsIn returns the function that reports whether a line of a script runs a command that a page shows, and compares
// the output if it shows one.
func runsIn(name string, session page.Shown) func(line string) bool {
	if len(session.Output) > 0 {
		return func(line string) bool {
			return strings.HasPrefix(line, "documented ") && strings.HasSuffix(line, " "+name+" "+session.Command)
		}
	}
	runs := regexp.MustCompile(`^(exec|! exec|exits \d+|documented \d+ \S+|env) `)
	return func(line string) bool {
		return runs.ReplaceAllString(line, "") == session.Command && line != session.Command
	}
}

func TestEveryCommandInTheDocumentsRunsInAScript(t *testing.T) {
	t.Parallel()
	lines := scriptLines(t)
	texts := page.All(t)
	followed := map[string]string{} // the text of each page that scripts follow
	for _, line := range lines {
		if place, follows := strings.CutPrefix(line, "follow "); follows {
			name, heading, _ := strings.Cut(place, "#")
			followed[name] += page.Section(texts[name], heading)
		}
	}
	makefile, err := os.ReadFile(repo.Path("Makefile"))
	require.NoError(t, err)
	run := 0
	for name, text := range texts {
		for _, session := range page.ShownCommands(text) {
			run++
			require.True(t, strings.Contains(followed[name], "$ "+session.Line+"\n") ||
				slices.ContainsFunc(lines, runsIn(name, session)),
				"%s shows %q, with %d lines of output, and no script checks it", name, session.Command, len(session.Output))
		}
		for _, block := range page.Blocks(text, "sh") {
			run++
			assert.Contains(t, followed[name], block,
				"%s: no script follows this block: if it cannot run offline, say where it can", name)
		}
		for _, block := range page.Blocks(text, "sh online") {
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
	texts := page.All(t)
	for _, name := range []string{"SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(repo.Path(name))
		require.NoError(t, err)
		texts[name] = string(text)
	}
	for name, text := range texts {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target := path.Join(path.Dir(name), match[1])
			if match[1] == "" {
				target = name
			}
			_, err := os.Stat(repo.Path(filepath.FromSlash(target)))
			require.NoError(t, err, name)
			if match[2] != "" {
				assert.Contains(t, page.Anchors(texts[target]), match[2], "%s links to %s", name, target)
			}
		}
	}
}

// commandInText matches a command line of this program in backquotes.
var commandInText = regexp.MustCompile("`(hypershift-aws(?: (?:--offline|-[sC] \\S+))* [a-z][^`]*)`")

func TestTheCommandLinesOfTheDocumentsFitTheCommands(t *testing.T) {
	t.Parallel()
	checked := 0
	for name, text := range page.All(t) {
		if strings.HasPrefix(name, "docs/commands/") { // the help, whose examples have a test of their own
			continue
		}
		for _, block := range page.CodeBlock.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(shells, block[1]) {
				continue
			}
			for _, line := range commandline.ProgramLines(block[2]) {
				checked++
				if found, err := commandline.Parse(cli.Command(features.All()),
					line); assert.NoError(t, err, "%s: %q", name, line) {
					assert.NoError(t, found.Command.ValidateArgs(found.Args), "%s: %q", name, line)
				}
			}
		}
		for _, match := range commandInText.FindAllStringSubmatch(page.CodeBlock.ReplaceAllString(text, ""), -1) {
			for _, line := range commandline.ProgramLines(strings.ReplaceAll(match[1], "\n", " ")) {
				checked++
				// a text names a flag without its value, as the last word
				if _, err := commandline.Parse(cli.Command(features.All()), line); err != nil {
					_, err = commandline.Parse(cli.Command(features.All()), append(line, "0s"))
					assert.NoError(t, err, "%s: %q", name, line)
				}
			}
		}
	}
	require.Greater(t, checked, 200)
}

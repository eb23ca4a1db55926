package script

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hypershift-aws/hypershift-aws/test/page"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// follow 'PAGE[#HEADING]' runs the commands of a page, or of one of its sections, as a reader types them: in their
// order, in one shell. The program runs a block of `sh` with --offline, and the block's output is the script's. A
// command of a session must succeed, or fail where the page shows "error:", and print what the page shows, to stdout
// and then to stderr.
func follow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: follow 'PAGE[#HEADING]'")
	}
	name, heading, _ := strings.Cut(args[0], "#")
	text, err := os.ReadFile(repo.Path(name))
	ts.Check(err)
	output := func(session int, stream string) string {
		return ts.MkAbs(fmt.Sprintf(".follow/%d.%s", session, stream))
	}
	script := "set -e\n"
	var sessions []page.Shown
	for _, block := range page.CodeBlock.FindAllStringSubmatch(page.Section(string(text), heading), -1) {
		if block[1] == "sh" {
			script += "alias hypershift-aws='hypershift-aws --offline'\n" + block[2] + "unalias hypershift-aws\n"
		}
		for _, session := range page.ShownCommands(block[0]) {
			// In braces, what a command exports and where it goes stays.
			run := fmt.Sprintf("{ %s\n} > %s 2> %s", session.Line, output(len(sessions), "out"), output(len(sessions), "err"))
			if slices.ContainsFunc(session.Output, func(line string) bool { return strings.HasPrefix(line, "error:") }) {
				run = "if " + run + "; then exit 1; fi"
			}
			script += run + "\n"
			sessions = append(sessions, session)
		}
	}
	if script == "set -e\n" {
		ts.Fatalf("%s has no commands to follow", args[0])
	}
	file := ts.MkAbs(".follow/script")
	ts.Check(os.RemoveAll(filepath.Dir(file)))
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	ts.Check(os.WriteFile(file, []byte(script), 0o644))
	failed := ts.Exec("sh", file)
	for i, session := range sessions {
		if _, err := os.Stat(output(i, "err")); err != nil {
			break
		}
		printed := strings.TrimRight(ts.ReadFile(output(i, "out"))+ts.ReadFile(output(i, "err")), "\n")
		if len(session.Output) > 0 && !page.Matches(session.Output, strings.Split(printed, "\n")) {
			ts.Fatalf("%s shows another output for %s:\n%s", name, session.Line, printed)
		}
		if _, err := os.Stat(output(i+1, "err")); err != nil && failed != nil {
			ts.Fatalf("%s: %s: %v\n%s", name, session.Line, failed, printed)
		}
	}
	ts.Check(failed)
}

package script

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// demoPage has the log of examples/demo in its only code block.
var demoPage = repo.Path("docs", "appendix", "demo.md")

// demo runs examples/demo, and compares what it prints with docs/appendix/demo.md, which -update writes. The order in which the engine finishes resources,
// IDs and times are not compared.
func demo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: demo")
	}
	ts.Check(ts.Exec("bash", filepath.Join(ts.Getenv("EXAMPLES"), "demo")))
	printed := strings.TrimPrefix(ts.ReadFile("stdout"), "\n")
	page, err := os.ReadFile(demoPage)
	ts.Check(err)
	block := regexp.MustCompile("(?s)```\n(.*)```")
	if golden.Updates() {
		ts.Check(os.WriteFile(demoPage, block.ReplaceAllLiteral(page, []byte("```\n"+printed+"```")), 0o644))
		return
	}
	shown := block.FindSubmatch(page)
	if shown == nil || lasting(string(shown[1])) != lasting(printed) {
		ts.Fatalf("docs/appendix/demo.md has another log; -update writes it:\n%s", printed)
	}
}

// lasting returns a log without what differs between two runs.
func lasting(log string) string {
	log = regexp.MustCompile(`(?m)^  (created|updated|replaced|deleted|\.\.\. \d+ lines) .*\n`).ReplaceAllString(log, "")
	log = regexp.MustCompile(`\b[a-z]+-[0-9a-f]{17}\b`).ReplaceAllString(log, "ID")
	return regexp.MustCompile(`; [0-9.]+(ms|s|m)[0-9.s]*\b`).ReplaceAllString(log, "; TIME")
}

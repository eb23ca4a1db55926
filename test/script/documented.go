package script

import (
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hypershift-aws/hypershift-aws/test/page"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// documented CODE DOCUMENT PROGRAM ARGS... runs a command line that the document shows. It must exit with the code and
// print what the document shows, to stdout and then to stderr; a document that shows no output leaves it open.
func documented(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: documented CODE DOCUMENT PROGRAM ARGS...")
	}
	text, err := os.ReadFile(repo.Path(args[1]))
	ts.Check(err)
	exits(ts, false, append([]string{args[0]}, args[2:]...))
	command := page.Words(strings.Join(args[2:], " "))
	printed := strings.Split(strings.TrimRight(ts.ReadFile("stdout")+ts.ReadFile("stderr"), "\n"), "\n")
	known := false
	for _, session := range page.ShownCommands(string(text)) {
		if session.Command != command {
			continue
		}
		known = true
		if len(session.Output) == 0 || page.Matches(session.Output, printed) {
			return
		}
	}
	if !known {
		ts.Fatalf("%s does not show the command %s", args[1], command)
	}
	ts.Fatalf("%s shows another output for %s", args[1], command)
}

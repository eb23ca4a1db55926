package script

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hypershift-aws/hypershift-aws/test/program"
)

// countEngines puts an engine before the real one on PATH that notes each start in engines.log. It is the program of
// tests, and not a script, because a script's version is read each time.
func countEngines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: countengines")
	}
	self, err := program.Path()
	ts.Check(err)
	engine := filepath.Join(ts.MkAbs("counted"), "pulumi")
	ts.Check(os.MkdirAll(filepath.Dir(engine), 0o755))
	// A copy: a link would be skipped as this program itself, and the version of a script is not recorded.
	text, err := os.ReadFile(self)
	ts.Check(err)
	ts.Check(os.WriteFile(engine, text, 0o755))
	path := filepath.SplitList(ts.Getenv("PATH"))
	ts.Setenv("COUNTED_ENGINE", filepath.Join(path[len(path)-1], "pulumi"))
	ts.Setenv("COUNTED_LOG", ts.MkAbs("engines.log"))
	path = append(path[:len(path)-1:len(path)-1], filepath.Dir(engine), path[len(path)-1])
	ts.Setenv("PATH", strings.Join(path, string(os.PathListSeparator)))
}

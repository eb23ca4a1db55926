package script

import (
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// demo runs examples/demo.
func demo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: demo")
	}
	ts.Check(ts.Exec("bash", filepath.Join(ts.Getenv("EXAMPLES"), "demo")))
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// countEngines puts an engine before the real one on PATH that notes each start in engines.log. It is this test binary, not
// a script, because a script's version is read each time.
func countEngines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: countengines")
	}
	self, err := os.Executable()
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

// runCounted notes what the engine is started for, and becomes it.
func runCounted() error {
	var words []string
	for _, arg := range os.Args[1:] {
		if !strings.HasPrefix(arg, "-") {
			words = append(words, arg)
		}
	}
	if len(words) > 1 && words[0] != "stack" {
		words = words[:1]
	}
	log, err := os.OpenFile(os.Getenv("COUNTED_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(log, strings.Join(words[:min(2, len(words))], " ")); err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	engine := os.Getenv("COUNTED_ENGINE")
	return syscall.Exec(engine, append([]string{engine}, os.Args[1:]...), os.Environ())
}

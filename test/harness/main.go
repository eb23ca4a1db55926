package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/test/gohost"
	"github.com/hypershift-aws/hypershift-aws/test/program"
)

// programs are what the language host runs.
var programs *gohost.Programs

// Dir is a folder of all tests of the package, which is removed after the last one.
var Dir string

// Main runs the tests of a package and returns their exit code.
func Main(m *testing.M) int {
	// The engine, the CLI and this process are short-lived: they save a tenth of their processor time by collecting
	// garbage less.
	if os.Getenv("GOGC") == "" {
		if err := os.Setenv("GOGC", "400"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(1 << 30) // with many programs at once that would be several gigabytes
	}
	dir, err := os.MkdirTemp("", "hypershift-aws")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	home := filepath.Join(dir, "home")
	if err := errors.Join(engine.HomeWithoutLogs(home), os.Setenv("PULUMI_HOME", home)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	programs, Dir = gohost.NewPrograms(dir), dir
	return m.Run()
}

// Executable returns the path of the program of tests: the CLI, and what tests run beside it.
func Executable(t *testing.T) string {
	t.Helper()
	path, err := program.Path()
	require.NoError(t, err)
	return path
}

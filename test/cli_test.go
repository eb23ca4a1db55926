package test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	// What `go test` remembers of these tests holds only for the CLI that they have built and run.
	_ "github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
)

// cliPath is where TestMain builds the CLI for all tests.
var cliPath string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hypershift-aws")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cliPath = filepath.Join(dir, "hypershift-aws")
	if output, err := exec.Command("go", "build", "-o", cliPath, "../cmd/hypershift-aws").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the CLI: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

// cli is the built CLI, run in a folder.
type cli struct {
	t   *testing.T
	dir string
	env []string
}

// newCLI is the CLI in dir, with the engine that `make engine` builds.
func newCLI(t *testing.T, dir string, env ...string) *cli {
	t.Helper()
	engine := filepath.Dir(enginetest.EnginePath(t))
	env = append(append(os.Environ(), env...), "PATH="+engine+string(os.PathListSeparator)+os.Getenv("PATH"))
	return &cli{t: t, dir: dir, env: env}
}

// with is the CLI with more in its environment.
func (c *cli) with(env ...string) *cli {
	return &cli{t: c.t, dir: c.dir, env: append(slices.Clone(c.env), env...)}
}

// run runs a command that must succeed and returns its stdout.
func (c *cli) run(args ...string) string {
	c.t.Helper()
	stdout, stderr, code := c.exit(args...)
	require.Zero(c.t, code, "hypershift-aws %s:\n%s%s", strings.Join(args, " "), stdout, stderr)
	return stdout
}

// exit runs a command and returns what it printed and its exit code.
func (c *cli) exit(args ...string) (stdout, stderr string, code int) {
	c.t.Helper()
	var out, errs strings.Builder
	command := exec.Command(cliPath, args...)
	command.Dir, command.Env = c.dir, c.env
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(c.t, err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

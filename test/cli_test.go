package test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	hypershiftaws "github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	runtimehost "github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pulumishim"
	"github.com/hypershift-aws/hypershift-aws/internal/features/policies/pack"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/test/automationtest"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/gohost"
	"github.com/hypershift-aws/hypershift-aws/test/kubelet"
)

// asCLI in the environment makes this test binary run as the CLI, so that no other binary has to be linked.
const asCLI = "HYPERSHIFT_AWS_TEST_AS_CLI"

// withoutGates in the environment are the gates that are not asked, if this test binary runs as the CLI.
const withoutGates = "HYPERSHIFT_AWS_TEST_WITHOUT_GATES"

func TestMain(m *testing.M) {
	kubelet.Main()
	if runtimehost.Wanted(os.Args[0]) {
		run := program.Run
		if account := os.Getenv(podAccount); account != "" {
			run = programInPod(account, "")
		}
		os.Exit(runtimehost.Run(run, os.Args[1:], os.Stdout, os.Stderr))
	}
	if pack.Wanted(os.Args[0]) {
		os.Exit(runPack())
	}
	if pulumishim.Wanted(os.Args[0]) {
		os.Exit(runFront())
	}
	if operation := os.Getenv(inAgent); operation != "" {
		os.Exit(runAgent(operation))
	}
	if name := os.Getenv(inBucket); name != "" {
		os.Exit(runInBucket(name))
	}
	if os.Getenv(asCLI) != "" {
		streams := invocation.System()
		streams.Project = automationtest.WithGates(streams.Project, gatesBut(strings.Fields(os.Getenv(withoutGates))...))
		os.Exit(hypershiftaws.Run(streams, os.Args[1:]))
	}
	os.Exit(runTests(m))
}

// programs are what the language host runs.
var programs *gohost.Programs

// testDir is a folder of all tests, which is removed after the last one.
var testDir string

func runTests(m *testing.M) int {
	// The engine, the CLI and this process are short-lived: they save a tenth of their processor time by collecting garbage less.
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
	programs, testDir = gohost.NewPrograms(dir), dir
	return m.Run()
}

// executable returns the CLI's, for a process that has asCLI in its environment.
func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

// cli is the CLI, run in a folder.
type cli struct {
	t   *testing.T
	dir string
	env []string
}

// stateAfterEachStep has the engine write the state after each step, as it does for users: for commands that are killed. Without it an update
// takes two thirds of the processor time.
const stateAfterEachStep = "PULUMI_SKIP_CHECKPOINTS=false"

// newCLI returns the CLI in dir, with the engine that `make engine` builds. The engine writes the state once, at the end of an operation.
func newCLI(t *testing.T, dir string, env ...string) *cli {
	t.Helper()
	engine := filepath.Dir(enginetest.EnginePath(t))
	env = append(append(os.Environ(), "PULUMI_SKIP_CHECKPOINTS=true"), env...)
	return &cli{t: t, dir: dir, env: append(env, "PATH="+engine+string(os.PathListSeparator)+os.Getenv("PATH"), asCLI+"=1")}
}

// with returns the CLI with more in its environment.
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

// environ returns the environment, in which the engine writes the state after each step if the rehearsal kills a process.
func (c *cli) environ() []string {
	const rehearsal = "HYPERSHIFT_AWS_OFFLINE_FAULTS="
	for _, variable := range slices.Backward(c.env) {
		if strings.HasPrefix(variable, rehearsal) {
			return writtenForKills(c.env, variable)
		}
	}
	return c.env
}

// writtenForKills returns the environment for a command with the rehearsal.
func writtenForKills(env []string, rehearsal string) []string {
	if strings.Contains(rehearsal, "kill: ") {
		return append(slices.Clone(env), stateAfterEachStep)
	}
	return env
}

// exit runs a command and returns what it printed and its exit code.
func (c *cli) exit(args ...string) (stdout, stderr string, code int) {
	c.t.Helper()
	var out, errs strings.Builder
	command := exec.Command(executable(c.t), args...)
	command.Dir, command.Env = c.dir, c.environ()
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(c.t, err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

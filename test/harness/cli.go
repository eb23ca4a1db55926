// Package harness runs the stacks of tests: by the CLI, by plain `pulumi`, and with the real engine. A package that
// uses it has a TestMain that calls Main.
package harness

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/program"
)

// CLI is the CLI, run in a folder.
type CLI struct {
	T   *testing.T
	Dir string
	Env []string
}

// StateAfterEachStep has the engine write the state after each step, as it does for users: for commands that are
// killed. Without it an update takes two thirds of the processor time.
const StateAfterEachStep = program.StateAtEnd + "=false"

// NewCLI returns the CLI in dir, with the engine that `make engine` builds. The engine writes the state once, at the
// end of an operation.
func NewCLI(t *testing.T, dir string, env ...string) *CLI {
	t.Helper()
	engine := filepath.Dir(enginetest.EnginePath(t))
	env = append(append(os.Environ(), program.StateAtEnd+"=true"), env...)
	return &CLI{T: t, Dir: dir, Env: append(env, "PATH="+engine+string(os.PathListSeparator)+os.Getenv("PATH"))}
}

// With returns the CLI with more in its environment.
func (c *CLI) With(env ...string) *CLI {
	return &CLI{T: c.T, Dir: c.Dir, Env: append(slices.Clone(c.Env), env...)}
}

// Run runs a command that must succeed and returns its stdout.
func (c *CLI) Run(args ...string) string {
	c.T.Helper()
	stdout, stderr, code := c.Exit(args...)
	require.Zero(c.T, code, "hypershift-aws %s:\n%s%s", strings.Join(args, " "), stdout, stderr)
	return stdout
}

// Environ returns the environment, in which the engine writes the state after each step if the rehearsal kills a
// process.
func (c *CLI) Environ() []string {
	const rehearsal = "HYPERSHIFT_AWS_OFFLINE_FAULTS="
	for _, variable := range slices.Backward(c.Env) {
		if strings.HasPrefix(variable, rehearsal) {
			return WrittenForKills(c.Env, variable)
		}
	}
	return c.Env
}

// WrittenForKills returns the environment for a command with the rehearsal.
func WrittenForKills(env []string, rehearsal string) []string {
	if strings.Contains(rehearsal, "kill: ") {
		// the second is for an engine that the test starts
		return append(slices.Clone(env), StateAfterEachStep, "PULUMI_SKIP_CHECKPOINTS=false")
	}
	return env
}

// Exit runs a command and returns what it printed and its exit code.
func (c *CLI) Exit(args ...string) (stdout, stderr string, code int) {
	c.T.Helper()
	var out, errs strings.Builder
	command := exec.Command(Executable(c.T), args...)
	command.Dir, command.Env = c.Dir, c.Environ()
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(c.T, err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

// Edit replaces a text in a stack's file.
func (c *CLI) Edit(stack, old, with string) {
	c.T.Helper()
	path := filepath.Join(c.Dir, config.FileName(stack))
	text, err := os.ReadFile(path)
	require.NoError(c.T, err)
	require.Contains(c.T, string(text), old)
	require.NoError(c.T, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, with)), 0o600))
}

// Cut removes the line of a stack's file that begins with a text, and returns it.
func (c *CLI) Cut(stack, begin string) string {
	c.T.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, config.FileName(stack)))
	require.NoError(c.T, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, begin) {
			c.Edit(stack, line, "")
			return line
		}
	}
	require.Fail(c.T, "the file has no such line", begin)
	return ""
}

// Output returns an output of a stack, or a field of an output.
func (c *CLI) Output(stack, name string) string {
	c.T.Helper()
	return strings.TrimSpace(c.Run("--offline", "-s", stack, "outputs", name))
}

// OfflineDir returns the folder of the accounts, clusters and states of --offline.
func (c *CLI) OfflineDir() string { return filepath.Join(c.Dir, ".hypershift-aws", "offline") }

// FleetState returns the resources of each stack's state; a run must have left no operation open and no lock.
func (c *CLI) FleetState() map[string][]apitype.ResourceV3 {
	c.T.Helper()
	paths, err := filepath.Glob(filepath.Join(c.OfflineDir(), "state", ".pulumi", "stacks", "*", "*.json"))
	require.NoError(c.T, err)
	states := map[string][]apitype.ResourceV3{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(c.T, err)
		states[filepath.Base(path)] = Settled(c.T, text)
	}
	locks, err := filepath.Glob(filepath.Join(c.OfflineDir(), "state", ".pulumi", "locks", "*", "*", "*", "*"))
	require.NoError(c.T, err)
	require.Empty(c.T, locks)
	return states
}

// RequireFleetTrue requires that the accounts have exactly the resources of the states.
func (c *CLI) RequireFleetTrue(states map[string][]apitype.ResourceV3) {
	c.T.Helper()
	var recorded, held []string
	for resources := range maps.Values(states) {
		for _, r := range resources {
			if r.Custom && !r.External && !strings.HasPrefix(string(r.Type), "pulumi:") {
				recorded = append(recorded, string(r.Type)+" "+string(r.ID))
			}
		}
	}
	for _, r := range MadeIn(c.T, c.OfflineDir()) {
		held = append(held, r.Type+" "+r.ID)
	}
	require.ElementsMatch(c.T, recorded, held, "the states, and the accounts")
}

package fleet_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
)

// fleetLine is what these tests read of a line of a fleet's JSON.
type fleetLine struct{ Type, Stack, Status, Op, Name, Message string }

// heed runs a fleet command with JSON, calls do with each line while the command runs, and returns the last status of
// each stack and the exit code.
func heed(c *harness.CLI, do func(process *os.Process, line fleetLine), args ...string) (map[string]string, int) {
	c.T.Helper()
	command := exec.Command(harness.Executable(c.T), append([]string{"--offline", "-o", "json", "fleet"}, args...)...)
	var stderr strings.Builder
	command.Dir, command.Env, command.Stderr = c.Dir, append(c.Environ(), harness.StateAfterEachStep), &stderr
	stdout, err := command.StdoutPipe()
	require.NoError(c.T, err)
	require.NoError(c.T, command.Start())
	statuses := map[string]string{}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line fleetLine
		require.NoError(c.T, json.Unmarshal(lines.Bytes(), &line), lines.Text())
		if line.Type == "fleetStack" {
			statuses[line.Stack] = line.Status
		}
		do(command.Process, line)
	}
	_ = command.Wait() // the exit code says how it ended
	c.T.Logf("fleet %s: exit code %d, %v\n%s", strings.Join(args, " "), command.ProcessState.ExitCode(), statuses,
		stderr.String())
	return statuses, command.ProcessState.ExitCode()
}

func TestCtrlCEndsAFleetWithTrueStatesAndResumeContinues(t *testing.T) {
	t.Parallel()
	c := smallFleet(t)
	c.Run("--offline", "fleet", "up", "--yes", "--select", "management")
	interrupt := func(process *os.Process) { require.NoError(t, process.Signal(syscall.SIGINT)) }

	// Once: the stack in progress goes on to its end, and no other is started.
	got, code := heed(c, func(process *os.Process, line fleetLine) {
		if line.Type == "fleetStack" && line.Stack == "east" && line.Status == "running" {
			interrupt(process)
		}
	}, "up", "--yes", "--parallel", "1", "--select", "kind=cluster")
	require.Equal(t, 130, code)
	require.Equal(t, map[string]string{"east": "succeeded", "north": "not started", "west": "not started"}, got)
	c.RequireFleetTrue(c.FleetState())

	// Twice: the stack in progress finishes what is in progress in AWS. Its NAT gateway takes five seconds.
	got, code = heed(c.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: 0.05}"), func(process *os.Process, line fleetLine) {
		switch {
		case line.Type == "resource" && line.Status == "started" && line.Op == "create" &&
			strings.Contains(line.Name, "-nat-"):
			interrupt(process)
		case line.Type == "note" && strings.HasPrefix(line.Message, "stopping: no more stacks are started"):
			interrupt(process)
		}
	}, "up", "--yes", "--parallel", "1", "--resume")
	require.Equal(t, 130, code)
	require.Equal(t, map[string]string{"north": "stopped", "west": "not started"}, got)
	c.RequireFleetTrue(c.FleetState())

	// A stack that is locked is named, and tried again when the others have ended, until its lock is released.
	lock := filepath.Join(c.OfflineDir(), "state", ".pulumi", "locks", "organization", "hypershift-aws", "north", "x.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o755))
	require.NoError(t, os.WriteFile(lock, []byte(`{"pid": 1, "username": "u", "hostname": "elsewhere", "timestamp": "2026-01-02T03:04:05Z"}`), 0o600))
	var order []string
	got, code = heed(c, func(_ *os.Process, line fleetLine) {
		switch {
		case line.Type == "fleetStack" && line.Status != "running":
			order = append(order, line.Stack+" "+line.Status)
		case line.Type == "note" && line.Message == "locked by another update: north; trying again":
			require.NoError(t, os.RemoveAll(lock))
		}
	}, "up", "--yes", "--parallel", "1", "--resume", "--lock-wait", "5m")
	require.Zero(t, code)
	require.Equal(t, map[string]string{"north": "succeeded", "west": "succeeded"}, got)
	require.Equal(t, []string{"north locked", "west succeeded", "north succeeded"}, order)
	c.Run("--offline", "fleet", "preview", "--expect-no-changes")
	c.RequireFleetTrue(c.FleetState())
}

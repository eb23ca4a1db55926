package engine

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
)

// stubborn is an engine that notes each SIGINT and ends after as many as its argument says.
const stubborn = `
n=0
trap 'n=$((n+1)); echo $n > ints; if [ $n -ge $2 ]; then exit 255; fi' INT
echo $$ > pid
touch ready
while :; do sleep 0.02; done`

type ran struct {
	stdout, stderr string
	code           int
	err            error
}

// start runs a script as the engine in a separate folder.
func start(t *testing.T, interrupts *Interrupts, text string, args ...string) (string, <-chan ran) {
	t.Helper()
	dir := t.TempDir()
	c := &Command{
		Engine:     &Engine{Path: script(t, filepath.Join(dir, "pulumi"), text)},
		Environ:    Environ{"PATH=" + os.Getenv("PATH"), "GREETING=hello"},
		Interrupts: interrupts,
	}
	done := make(chan ran, 1)
	go func() {
		stdout, stderr, code, err := c.Run(t.Context(), dir, nil, nil, nil, []string{"EXTRA=more"}, args...)
		done <- ran{stdout, stderr, code, err}
	}()
	return dir, done
}

func await(t *testing.T, dir, name, content string) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(dir, name))
		return err == nil && (content == "" || strings.TrimSpace(string(text)) == content)
	}, 30*time.Second, 5*time.Millisecond, "%s with %q", name, content)
}

func watch(t *testing.T) *Interrupts {
	i := WatchInterrupts()
	t.Cleanup(i.Close)
	return i
}

func TestTheEngineGetsItsEnvironmentAndItsOutputIsReturned(t *testing.T) {
	t.Parallel()
	_, done := start(t, watch(t), `echo "$GREETING $EXTRA $PULUMI_AUTOMATION_API $*"; echo trouble >&2; exit 7`, "up")
	r := <-done
	assert.Equal(t, "hello more true --non-interactive up\n", r.stdout)
	assert.Equal(t, "trouble\n", r.stderr)
	assert.Equal(t, 7, r.code)
	assert.Error(t, r.err)
}

func TestTheTerminalsCtrlCDoesNotReachTheEngine(t *testing.T) {
	t.Parallel()
	interrupts := watch(t)
	dir, done := start(t, interrupts, stubborn, "1")
	await(t, dir, "ready", "")
	var id int
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	require.NoError(t, err)
	_, err = fmt.Sscan(string(text), &id)
	require.NoError(t, err)
	group, err := syscall.Getpgid(id)
	require.NoError(t, err)
	assert.Equal(t, id, group)
	assert.NotEqual(t, syscall.Getpgrp(), group)
	interrupts.Interrupt()
	<-done
}

func TestEachSignalReachesTheEngineOnce(t *testing.T) {
	t.Parallel()
	interrupts := watch(t)
	dir, done := start(t, interrupts, stubborn, "2")
	await(t, dir, "ready", "")
	interrupts.Interrupt()
	await(t, dir, "ints", "1")
	interrupts.Interrupt()
	r := <-done
	await(t, dir, "ints", "2")
	assert.Equal(t, 255, r.code)
	assert.Equal(t, 2, interrupts.Count())
}

func TestAThirdSignalEndsAnEngineThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	interrupts := watch(t)
	dir, done := start(t, interrupts, stubborn, "9")
	await(t, dir, "ready", "")
	interrupts.Interrupt()
	interrupts.Interrupt()
	interrupts.Interrupt()
	r := <-done
	assert.Equal(t, -1, r.code)
}

func TestAfterASignalNoEngineIsStarted(t *testing.T) {
	t.Parallel()
	interrupts := watch(t)
	interrupts.Interrupt()
	dir, done := start(t, interrupts, "touch started")
	r := <-done
	assert.ErrorIs(t, r.err, ErrInterrupted)
	assert.NoFileExists(t, filepath.Join(dir, "started"))
	<-interrupts.First()
}

// killed is an engine that is killed while a process in another group works for it, as a provider does.
const killed = `
set -m
sleep 600 &
echo $! > provider
kill -KILL $$`

func TestTheProvidersOfAKilledEngineEnd(t *testing.T) {
	t.Parallel()
	dir, done := start(t, WatchInterrupts(), killed)
	require.Error(t, (<-done).err)
	text, err := os.ReadFile(filepath.Join(dir, "provider"))
	require.NoError(t, err)
	id, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !proc.Runs(id) }, 10*time.Second, 20*time.Millisecond)
}

// TestASecondSignalEndsAProgramThatWaitsForSomethingElse runs this test again as the program, which waits for what
// never comes: for the reader of a full pipe with its own message, and in its command.
func TestASecondSignalEndsAProgramThatWaitsForSomethingElse(t *testing.T) {
	if os.Getenv("WAITS") != "" {
		WatchInterrupts().OnInterrupt(func(int) { select {} })
		fmt.Println("ready")
		select {}
	}
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run", t.Name())
	cmd.Env = append(os.Environ(), "WAITS=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		time.Sleep(100 * time.Millisecond)
	}
	stop := time.AfterFunc(endGrace+20*time.Second, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	require.Equal(t, syscall.SIGTERM, exit.Sys().(syscall.WaitStatus).Signal())
}

func TestAnAbandonedEngineGetsTwoSignalsAndThisProgramGoesOn(t *testing.T) {
	t.Parallel()
	interrupts := watch(t)
	dir, done := start(t, interrupts, stubborn, "2")
	await(t, dir, "ready", "")
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	require.NoError(t, err)
	id, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	interrupts.Abandon(id + 1)
	interrupts.Abandon(id)
	r := <-done
	await(t, dir, "ints", "2")
	assert.Equal(t, 255, r.code)
	assert.Zero(t, interrupts.Count())
}

// The Automation API's error has only the texts, so that the reason must be one of them.
func TestAnEngineThatCannotStartSaysWhy(t *testing.T) {
	c := &Command{Engine: &Engine{Path: filepath.Join(t.TempDir(), "none")}, Interrupts: watch(t)}
	_, stderr, code, err := c.Run(t.Context(), t.TempDir(), nil, nil, nil, nil, "up")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Contains(t, stderr, "none: no such file or directory")
	require.Equal(t, -1, code)

	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	_, stderr, code, err = c.Run(t.Context(), t.TempDir(), nil, nil, nil, nil, "up")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Contains(t, stderr, "set TMPDIR to a folder in which you may create files")
	require.Equal(t, -1, code)
}

package provider

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
)

// asPlugin makes the test binary a plugin, which writes its process ID to a file, and asOperation an operation that
// starts one for an engine.
const asPlugin, asOperation = "TEST_AS_PLUGIN", "TEST_AS_OPERATION"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asPlugin) != "":
		if err := servePlugin(os.Getenv(asPlugin)); err != nil {
			os.Exit(1)
		}
	case os.Getenv(asOperation) != "":
		if err := operate(os.Getenv(asOperation)); err != nil {
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// servePlugin listens as a plugin does.
func servePlugin(log string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(file, os.Getpid()); err != nil {
		return err
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	for {
		if _, err := listener.Accept(); err != nil {
			return err
		}
	}
}

// operate starts a plugin and an engine that uses it, and writes the engine's process ID beside the plugin.
func operate(path string) error {
	started, err := start(path, filepath.Dir(path), os.Environ())
	if err != nil {
		return err
	}
	used := exec.Command("sleep", "60")
	proc.NewSession(used)
	proc.Inherit(used, started.Life)
	if err := used.Start(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "engine"), []byte(strconv.Itoa(used.Process.Pid)),
		0o600); err != nil {
		return err
	}
	time.Sleep(time.Minute)
	return nil
}

// plugins are the plugins of a test.
type plugins struct {
	t    *testing.T
	dir  string
	path string
}

func newPlugins(t *testing.T) *plugins {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	p := &plugins{t, dir, filepath.Join(dir, "pulumi-resource-test")}
	script := fmt.Sprintf("#!/bin/sh\n%s='%s' exec '%s'\n", asPlugin, filepath.Join(dir, "started"), binary)
	require.NoError(t, os.WriteFile(p.path, []byte(script), 0o700))
	return p
}

// ahead starts the plugins ahead of engines.
func (p *plugins) ahead() *Ahead {
	a := &Ahead{Path: p.path, Dir: p.dir, Environ: os.Environ(), Credentials: func() string { return "" }}
	p.t.Cleanup(a.Close)
	return a
}

// started returns the process IDs of the plugins that were started.
func (p *plugins) started() []int {
	p.t.Helper()
	return p.read("started")
}

func (p *plugins) read(name string) (ids []int) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(p.t, err)
	for _, line := range strings.Fields(string(text)) {
		id, err := strconv.Atoi(line)
		require.NoError(p.t, err)
		ids = append(ids, id)
	}
	return ids
}

func (p *plugins) requireEnd(id int) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return !proc.Runs(id) }, 20*time.Second, 10*time.Millisecond)
}

func TestEachEngineHasAPluginOfItsOwn(t *testing.T) {
	t.Parallel()
	p := newPlugins(t)
	a := p.ahead()
	for n := 1; n <= 2; n++ {
		a.Begin()
		a.Begin()
		used, err := a.Started()
		require.NoError(t, err)
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", used.Port))
		require.NoError(t, err)
		require.NoError(t, conn.Close())
		require.Len(t, p.started(), n)
		require.True(t, proc.Runs(p.started()[n-1]))
		_, err = a.Started()
		require.ErrorContains(t, err, "none was started")
		used.End()
		require.False(t, proc.Runs(p.started()[n-1]))
		_, err = net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", used.Port))
		require.Error(t, err, "it listens only while the engine runs")
	}
}

func TestAPluginIsNotUsed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before  func(t *testing.T, a *Ahead, p *plugins)
		refused string
	}{
		"after a change of the credentials": {func(_ *testing.T, a *Ahead, _ *plugins) {
			a.Credentials = func() string { return "others" }
		}, "credentials have changed"},
		"after it was killed": {func(t *testing.T, _ *Ahead, p *plugins) {
			t.Helper()
			process, err := os.FindProcess(p.started()[0])
			require.NoError(t, err)
			require.NoError(t, process.Kill())
			p.requireEnd(process.Pid)
			time.Sleep(200 * time.Millisecond) // the end of its output
		}, "has ended"},
		"after a minute": {func(_ *testing.T, a *Ahead, p *plugins) {
			a.next.rest.Reset(time.Millisecond)
			p.requireEnd(p.started()[0])
		}, "none was started"},
		"after the operation": {func(_ *testing.T, a *Ahead, _ *plugins) {
			a.Close()
			a.Begin()
		}, "none was started"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlugins(t)
			a := p.ahead()
			a.Begin()
			require.Eventually(t, func() bool { return len(p.started()) == 1 }, 30*time.Second, 10*time.Millisecond)
			<-a.next.done
			test.before(t, a, p)
			_, err := a.Started()
			require.ErrorContains(t, err, test.refused)
			p.requireEnd(p.started()[0])
			require.Len(t, p.started(), 1)
		})
	}
}

func TestAPluginThatDoesNotStartIsNotUsed(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"it ends": "exit 1", "it says something else": "echo hello; sleep 60"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlugins(t)
			require.NoError(t, os.WriteFile(p.path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
			a := p.ahead()
			a.Begin()
			_, err := a.Started()
			require.ErrorContains(t, err, "did not say its port")
		})
	}
}

// TestAPluginEndsWithTheOperationAndTheEngine: an engine whose operation is killed completes what it does, and then the
// plugin ends.
func TestAPluginEndsWithTheOperationAndTheEngine(t *testing.T) {
	t.Parallel()
	p := newPlugins(t)
	binary, err := os.Executable()
	require.NoError(t, err)
	operation := exec.Command(binary)
	operation.Env = append(os.Environ(), asOperation+"="+p.path)
	require.NoError(t, operation.Start())
	require.Eventually(t, func() bool { return len(p.read("engine")) == 1 }, 30*time.Second, 10*time.Millisecond)
	plugin := p.started()[0]
	require.NoError(t, operation.Process.Kill())
	_ = operation.Wait()
	time.Sleep(300 * time.Millisecond)
	assert.True(t, proc.Runs(plugin), "the engine uses it")
	used, err := os.FindProcess(p.read("engine")[0])
	require.NoError(t, err)
	require.NoError(t, used.Kill())
	p.requireEnd(plugin)
}

// TestThePluginIsTheOneThatTheEngineFinds changes the environment: it is not parallel.
func TestThePluginIsTheOneThatTheEngineFinds(t *testing.T) {
	home, project, beside := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PULUMI_HOME", home)
	t.Setenv("PULUMI_IGNORE_AMBIENT_PLUGINS", "true")
	write := func(path, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	}
	installed := func(version string) string {
		return filepath.Join(home, "plugins", "resource-test-v"+version, "pulumi-resource-test")
	}
	write(filepath.Join(project, "Pulumi.yaml"), "name: demo\nruntime: go\n")
	pulumi := &engine.Engine{Path: filepath.Join(beside, "pulumi")}
	find := func(version string) (string, error) {
		return Find(t.Context(), pulumi, os.Environ(), project, "test", version)
	}
	_, err := find("v1.2.3")
	require.ErrorContains(t, err, "no resource plugin")
	for _, version := range []string{"1.2.2", "1.2.3", "1.3.0", "2.0.0"} {
		write(installed(version), "")
	}
	path, err := find("v1.2.3")
	require.NoError(t, err)
	assert.Equal(t, installed("1.2.3"), path)
	_, err = find("v1.2.4")
	require.ErrorContains(t, err, "no resource plugin", "the engine installs that version")

	write(filepath.Join(beside, "pulumi-resource-test"), "")
	_, err = find("v1.2.3")
	require.ErrorContains(t, err, "beside the engine")
	require.NoError(t, os.Remove(filepath.Join(beside, "pulumi-resource-test")))

	other := engine.Environ(os.Environ()).With("PULUMI_HOME", "/other")
	_, err = Find(t.Context(), pulumi, other, project, "test", "v1.2.3")
	require.ErrorContains(t, err, `PULUMI_HOME of the engine is "/other"`)

	ambient := t.TempDir()
	write(filepath.Join(ambient, "pulumi-resource-test"), "")
	t.Setenv("PATH", ambient+string(os.PathListSeparator)+os.Getenv("PATH"))
	path, err = find("v1.2.3")
	require.NoError(t, err)
	assert.Equal(t, installed("1.2.3"), path, "not the one on PATH")
	t.Setenv("PULUMI_IGNORE_AMBIENT_PLUGINS", "false")
	path, err = find("v1.2.3")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(ambient, "pulumi-resource-test"), path)

	write(filepath.Join(project, "Pulumi.yaml"),
		"name: demo\nruntime: go\nplugins:\n  providers:\n  - name: test\n    path: ../test\n")
	_, err = find("v1.2.3")
	require.ErrorContains(t, err, "plugins of its own")
}

// Package provider starts the plugin of a provider before the engine that uses it: the engine would otherwise wait for
// it, for longer than an operation without changes takes besides.
package provider

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
)

// shell runs a plugin, and kills it when its standard input ends.
const shell = "/bin/sh"

// guard is what the shell runs. The input is a pipe whose other end this program has, and the engine that uses the
// plugin: it ends when both have ended, however they did. An engine whose caller is killed still completes its
// operations.
const guard = `"$0" </dev/null & exec >/dev/null; read -r _; kill -9 $!; wait`

// startWithin is how long a plugin may take until it says its port.
const startWithin = 30 * time.Second

// endWithin is how long the shell may take to end a plugin.
const endWithin = 3 * time.Second

// Process is a plugin that runs. End ends it.
type Process struct {
	// Port is where it listens on the loopback interface.
	Port int
	// Life is the file that the engine keeps open while it uses the plugin.
	Life  *os.File
	shell *exec.Cmd
	ended chan struct{}
}

// Supported returns why a plugin cannot be started ahead on this system, nil if it can.
func Supported() error {
	if runtime.GOOS == "windows" {
		return errors.New("on Windows, an engine keeps no file of this program open")
	}
	if _, err := os.Stat(shell); err != nil {
		return fmt.Errorf("there is no %s", shell)
	}
	return nil
}

// start starts a plugin as an engine with that environment would, in dir.
func start(path, dir string, environ engine.Environ) (*Process, error) {
	input, life, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	defer func() { _ = input.Close() }()
	p := &Process{Life: life, shell: exec.Command(shell, "-c", guard, path), ended: make(chan struct{})}
	p.shell.Dir, p.shell.Env, p.shell.Stdin = dir, environ, input
	proc.NewSession(p.shell) // a terminal's Ctrl-C is for the engine
	output, written, err := os.Pipe()
	if err == nil {
		p.shell.Stdout = written
		err = p.shell.Start()
		_ = written.Close()
	}
	if err != nil {
		_ = life.Close()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	ports := make(chan string, 1)
	go func() {
		defer close(p.ended)
		defer func() { _ = output.Close() }()
		lines := bufio.NewReader(output)
		line, err := lines.ReadString('\n')
		if err == nil {
			ports <- line
			_, _ = io.Copy(io.Discard, lines) // to the end of the plugin
		}
		close(ports)
	}()
	select {
	case line := <-ports:
		if p.Port, err = strconv.Atoi(strings.TrimSpace(line)); err == nil {
			return p, nil
		}
		err = fmt.Errorf("%s did not say its port", path)
	case <-time.After(startWithin):
		err = fmt.Errorf("%s did not say its port in %s", path, startWithin)
	}
	p.End()
	return nil, err
}

// runs reports whether the plugin has not ended.
func (p *Process) runs() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// End kills the plugin with what it has started, and waits for its end.
func (p *Process) End() {
	_ = p.Life.Close()
	overdue := time.AfterFunc(endWithin, func() { _ = proc.SignalGroup(p.shell.Process.Pid, syscall.SIGKILL) })
	_ = p.shell.Wait() // its processor time includes the plugin's
	overdue.Stop()
	_ = proc.SignalGroup(p.shell.Process.Pid, syscall.SIGKILL) // what the plugin has started
}

// selects are the variables that determine which plugin the engine finds, besides PATH.
func selects() []string {
	return []string{"HOME", "PULUMI_HOME", "PULUMI_IGNORE_AMBIENT_PLUGINS", "PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH"}
}

// Find returns the plugin that an engine finds for a package in that version: in the project's folder, which has
// Pulumi.yaml, on PATH, or in PULUMI_HOME. It fails where it cannot know, and where there is none.
//
// Source: NewProvider in pkg/resource/plugin of github.com/pulumi/pulumi, whose search this is.
func Find(ctx context.Context, e *engine.Engine, environ engine.Environ, dir, name, version string) (string, error) {
	wanted, err := semver.ParseTolerant(version)
	if err != nil {
		return "", fmt.Errorf("version %q of the provider %s: %w", version, name, err)
	}
	// The search reads the environment of this process.
	for _, variable := range append(selects(), "PATH") {
		if value, own := environ.Get(variable), os.Getenv(variable); value != own {
			return "", fmt.Errorf("%s of the engine is %q, and of this process %q", variable, value, own)
		}
	}
	project, err := workspace.LoadProject(filepath.Join(dir, "Pulumi.yaml"))
	if err != nil {
		return "", err
	}
	if project.Plugins != nil && len(project.Plugins.Providers) > 0 {
		return "", errors.New("the project has plugins of its own")
	}
	spec := workspace.PluginDescriptor{Kind: apitype.ResourcePlugin, Name: name, Version: &wanted}
	beside := filepath.Join(filepath.Dir(e.Path), spec.File()) // the engine's folder is the first one of its PATH
	if _, err := os.Stat(beside); err == nil {
		return "", fmt.Errorf("%s is beside the engine", beside)
	}
	silent := diag.DefaultSink(io.Discard, io.Discard, diag.FormatOptions{Color: colors.Never})
	path, err := workspace.GetPluginPath(ctx, silent, spec, nil)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path) // a plugin in another language has no executable
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a program", path)
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// SDKVersion returns the version of a package's SDK that this program is built with, such as v6.83.4, or "" where Go
// has not recorded it.
func SDKVersion(name string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if strings.HasPrefix(module.Path, "github.com/pulumi/pulumi-"+name+"/sdk") {
			return module.Version
		}
	}
	return ""
}

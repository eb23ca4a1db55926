package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
)

// ErrInterrupted is the error of an engine that was not started because a signal had arrived.
var ErrInterrupted = errors.New("interrupted")

// Command runs the engine for the Automation API. It replaces the API's own command, which runs in this process group,
// so that a terminal's Ctrl-C would also reach the engine, and which kills the engine ten seconds after its context is
// cancelled, although a NAT gateway takes two minutes.
type Command struct {
	Engine     *Engine
	Environ    Environ
	Interrupts *Interrupts
	// AfterInterrupt starts the engine even if a signal has arrived: for operations that make a stack consistent.
	AfterInterrupt bool
	// Started is called with the ID of each engine's process and its arguments, if it is set.
	Started func(pid int, args []string)
	// Prepare is called with the arguments before each process is started, if it is set. After an error the engine is not
	// started.
	Prepare func(ctx context.Context, args []string) (Prepared, error)
}

var _ auto.PulumiCommand = (*Command)(nil)

// Prepared is what a process gets.
type Prepared struct {
	// Environ are additions to its environment.
	Environ []string
	// Open are files that it keeps open to its end.
	Open []*os.File
	// Ended is called after it has ended.
	Ended func()
}

// logged lets the engine write its own log to files in the folder for temporary files. Only more verbose logs of the
// engine have the content of its requests, in which secrets are.
const logged = "--verbose=3"

// Version implements auto.PulumiCommand.
func (c *Command) Version() semver.Version { return c.Engine.Version }

// Run implements auto.PulumiCommand. The context does not stop the engine: Interrupts does.
//
// The engine writes to files instead of pipes: if this program is killed, the engine continues and writes its state; a
// broken pipe would end it on its next line of output.
func (c *Command) Run(
	ctx context.Context, workDir string, stdin io.Reader, stdouts, stderrs []io.Writer, environ []string, args ...string,
) (string, string, int, error) {
	if trace.Enabled(ctx) {
		args = append([]string{logged}, args...)
	}
	if !slices.Contains(args, "--non-interactive") {
		args = append([]string{"--non-interactive"}, args...)
	}
	var prepared Prepared
	var err error
	if c.Prepare != nil {
		if prepared, err = c.Prepare(ctx, args); err != nil {
			return "", "", -1, err
		}
		defer prepared.Ended()
		environ = slices.Concat(environ, prepared.Environ)
	}
	stdout, err := newOutput()
	if err != nil {
		return "", err.Error(), -1, err // the Automation API tells its callers only these texts
	}
	defer stdout.close()
	stderr, err := newOutput()
	if err != nil {
		return "", err.Error(), -1, err
	}
	defer stderr.close()

	cmd := exec.Command(c.Engine.Path, args...)
	cmd.Dir = workDir
	cmd.Env = c.processEnviron(environ)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout.file, stderr.file
	detach(cmd)
	for _, file := range prepared.Open {
		proc.Inherit(cmd, file)
	}

	err = c.Interrupts.start(cmd, c.AfterInterrupt)
	began := time.Now()
	if err == nil {
		if c.Started != nil {
			c.Started(cmd.Process.Pid, args)
		}
		err = cmd.Wait()
		c.Interrupts.ended(cmd)
		endSession(cmd)
	}

	log := trace.Of(ctx).With("arguments", args, "folder", workDir, "took", time.Since(began))
	if cmd.ProcessState != nil {
		log = log.With("code", cmd.ProcessState.ExitCode(),
			"log", filepath.Join(os.TempDir(), fmt.Sprintf("pulumi.*.%d", cmd.ProcessState.Pid())))
	}
	log.DebugContext(ctx, "engine", "error", err)

	out, outErr := stdout.text(stdouts)
	errOut, errErr := stderr.text(stderrs)
	if err = errors.Join(err, outErr, errErr); err != nil {
		if cmd.ProcessState == nil { // it did not start
			return out, err.Error(), -1, err
		}
		return out, errOut, cmd.ProcessState.ExitCode(), err
	}
	return out, errOut, 0, nil
}

// withoutHistory is a command for the Automation API with an empty stack history. The API reads the last entry after
// each operation, with its secrets, for a summary that is not used here: this would take an additional engine process,
// which spends most of its time deriving the passphrase's key.
type withoutHistory struct{ auto.PulumiCommand }

// WithoutHistory returns command, with an empty history in place of each `stack history`.
func WithoutHistory(command auto.PulumiCommand) auto.PulumiCommand { return withoutHistory{command} }

// Run implements auto.PulumiCommand.
func (w withoutHistory) Run(
	ctx context.Context, workDir string, stdin io.Reader, stdouts, stderrs []io.Writer, environ []string, args ...string,
) (string, string, int, error) {
	if len(args) > 1 && args[0] == "stack" && args[1] == "history" {
		return "[]", "", 0, nil
	}
	return w.PulumiCommand.Run(ctx, workDir, stdin, stdouts, stderrs, environ, args...)
}

// ProcessEnviron returns the environment that the engine, and each plugin that it starts, has.
func (c *Command) ProcessEnviron() []string { return c.processEnviron(nil) }

func (c *Command) processEnviron(additions []string) []string {
	return slices.Concat(c.Environ, additions, []string{"PULUMI_AUTOMATION_API=true", c.path()})
}

// path returns PATH with the engine's folder as the first entry, in which the engine finds its language hosts.
func (c *Command) path() string {
	return "PATH=" + filepath.Dir(c.Engine.Path) + string(os.PathListSeparator) + c.Environ.Get("PATH")
}

// output is a file without a name that the engine writes to.
type output struct{ file *os.File }

func newOutput() (*output, error) {
	file, err := os.CreateTemp("", "hypershift-aws-engine-")
	if err != nil {
		return nil, fmt.Errorf("creating a file for the engine's output: %w; set TMPDIR to a folder in which you may create files", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("creating a file for the engine's output: %w", err), file.Close())
	}
	return &output{file}, nil
}

func (o *output) close() { _ = o.file.Close() }

func (o *output) text(copies []io.Writer) (string, error) {
	if _, err := o.file.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("reading the engine's output: %w", err)
	}
	text, err := io.ReadAll(o.file)
	if err != nil {
		return "", fmt.Errorf("reading the engine's output: %w", err)
	}
	for _, w := range copies {
		if _, err := w.Write(text); err != nil {
			return "", fmt.Errorf("forwarding the engine's output: %w", err)
		}
	}
	return string(text), nil
}

// Error is the error of a failed run of the engine by this package itself.
type Error struct {
	Stderr string
	Err    error
}

var _ error = (*Error)(nil)

func (e *Error) Error() string { return e.Err.Error() + ": " + e.Stderr }
func (e *Error) Unwrap() error { return e.Err }

// Stderr returns what the engine wrote to stderr. The Automation API's error only has it at the end of its text.
func Stderr(err error) string {
	var own *Error
	if errors.As(err, &own) {
		return own.Stderr
	}
	text := err.Error()
	if i := strings.LastIndex(text, "\nstderr: "); i >= 0 {
		text = text[i+len("\nstderr: "):]
	}
	return text
}

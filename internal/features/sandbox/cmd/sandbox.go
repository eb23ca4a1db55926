// Package cmd has the command sandbox.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// Feature returns the command sandbox.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "sandbox", Commands: invocation.Adds(sandboxCommand)}
}

func sandboxCommand(c *invocation.Invocation) *cobra.Command {
	var existing []string
	var fresh bool
	cmd := &cobra.Command{
		Use:     "sandbox [flags] -- COMMAND [ARG...]",
		GroupID: invocation.TestAProgram,
		Short:   "Run your own Pulumi program or its tests, without AWS",
		Long: `Runs a command whose Pulumi programs, in any language, have an AWS account in memory instead of AWS: pulumi itself, or tests
that use Pulumi's Automation API. The engine is the real one. The command has no AWS credentials and no login to
Pulumi Cloud, and downloads nothing. Its states and the account are in .hypershift-aws/offline of the folder.

The account is empty. --existing creates what the program refers to, before the command first uses the account.
The exit code is the command's.`,
		Example: `  hypershift-aws sandbox --existing public-zone=example.com \
    -- pulumi up --yes
  hypershift-aws sandbox --fresh -- go test ./...
  hypershift-aws sandbox --fresh -- npm test`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return invocation.Refuse("sandbox needs a COMMAND, as in `hypershift-aws sandbox -- pulumi preview`")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.JSON != nil {
				return invocation.Refuse("sandbox prints what its command prints: leave out -o json")
			}
			return runSandbox(cmd.Context(), c, existing, fresh, args)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // the command's own flags follow it
	flags.StringArrayVar(&existing, "existing", nil, "a `resource` that the account has, as KIND=NAME; repeatable")
	flags.BoolVar(&fresh, "fresh", false, "use a new account and state for this command alone")
	flags.Lookup("existing").Usage += ". KIND is " + strings.Join(automation.ExistingKinds(), ", ")
	var kinds []string
	for _, kind := range automation.ExistingKinds() {
		kinds = append(kinds, kind+"=")
	}
	invocation.CompleteFlag(cmd, "existing", invocation.Fixed(kinds...))
	return cmd
}

func runSandbox(
	ctx context.Context,
	c *invocation.Invocation,
	existing []string,
	fresh bool,
	args []string,
) (err error) {
	project, err := c.Project()
	if err != nil {
		return err
	}
	options := automation.OfflineOptions{
		Existing: existing, Environ: c.Streams.Environ, Executable: c.Streams.Executable,
		Log: func(sentence string) { c.Say("%s", sentence) },
	}
	if !fresh {
		if err := project.MakeOwnDir(); err != nil {
			return err
		}
		options.Dir = project.OfflineDir()
	}
	account, err := automation.ServeOffline(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, account.Close()) }()

	environ := engine.Environ(account.Environ())
	path, err := find(environ, args[0])
	if err != nil {
		return invocation.Refuse("%w", err)
	}
	command := exec.Command(path, args[1:]...)
	command.Args[0] = args[0]
	command.Dir, command.Env = project.Dir, environ
	streams := c.Unwrapped()
	command.Stdin, command.Stdout, command.Stderr = streams.In, streams.Out, streams.Err
	c.Interrupts.OnInterrupt(nil) // the command reacts to the terminal's Ctrl-C
	return run(command)
}

// find returns the path of a command, with the PATH of an environment.
func find(environ engine.Environ, name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(environ.Get("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no %s on PATH", name)
}

// run runs a command to its end. A terminal's Ctrl-C reaches the command itself; the account is served until the
// command has ended.
func run(command *exec.Cmd) error {
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting the command: %w", err)
	}
	terminated, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ended := make(chan struct{})
	go func() {
		select {
		case <-terminated.Done():
			_ = command.Process.Signal(syscall.SIGTERM)
		case <-ended:
		}
	}()
	err := command.Wait()
	close(ended)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return invocation.CommandFailed(exit.ExitCode())
	}
	return err
}

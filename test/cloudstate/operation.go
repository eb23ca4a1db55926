package cloudstate

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Operation in the environment makes the program of tests run one operation on stack test of the working directory:
// "up", "changes" or "cancel". The accounts are in memory, and the state is in the backend of PULUMI_BACKEND_URL. The
// process exits as the CLI does.
const Operation = "HYPERSHIFT_AWS_TEST_IN_BUCKET"

// Machine in the environment is the project's folder on another machine, whose journals the process uses; "" for the
// working directory's.
const Machine = "HYPERSHIFT_AWS_TEST_MACHINE"

// errChanges is that of "changes" if the plan has some.
var errChanges = errors.New("the plan has changes")

// Run runs an operation and returns its exit code.
func Run(name string) int {
	err := operate(context.Background(), name)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	var known *failure.Error
	if errors.As(err, &known) {
		fmt.Fprintln(os.Stderr, known.Remedy)
	}
	switch {
	case errors.Is(err, errChanges):
		return 3
	case failure.ReasonOf(err) == failure.Conflict:
		return 4
	case failure.ReasonOf(err) == failure.Refused:
		return 2
	}
	return 1
}

func operate(ctx context.Context, name string) error {
	in, err := projects.Open(".")
	if err != nil {
		return err
	}
	journals := in
	if other := os.Getenv(Machine); other != "" {
		if journals, err = projects.Open(other); err != nil {
			return err
		}
	}
	environ := engine.Environ(os.Environ())
	interrupts := engine.WatchInterrupts()
	defer interrupts.Close()
	memory, err := sandbox.InMemory(environment.Options{Project: in, Environ: environ, Interrupts: interrupts})
	if err != nil {
		return err
	}
	defer func() { _ = memory.Close() }()
	found, err := engine.Find(ctx, engine.Search{Environ: environ})
	if err != nil {
		return err
	}
	session := &workspace.Session{
		Copies:  run.Copies,
		Project: in, Engine: found, Environ: environ,
		Environment: Environment{Environment: memory, Process: environ, Journals: journals}, Interrupts: interrupts,
		Report: func(e report.Event) { fmt.Fprintln(os.Stderr, e) },
	}
	file, err := in.LoadStack("test")
	if err != nil {
		return err
	}
	stack, err := run.Open(ctx, session, "test", file, run.MayCreate)
	if err != nil {
		return err
	}
	defer stack.Stack.Close()
	if name == "cancel" {
		return run.Cancel(ctx, stack.Stack)
	}
	if _, err := stack.Recovery.Recover(ctx); err != nil {
		return err
	}
	planned, err := stack.Engine.Preview(ctx)
	if err != nil {
		return err
	}
	if name == "changes" {
		if planned.HasChanges {
			return errChanges
		}
		return nil
	}
	_, err = stack.Engine.Up(ctx)
	return err
}

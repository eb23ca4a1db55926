// Package opening opens the operations of a stack, for tests of two at a time.
package opening

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
)

// Of opens a stack as a process in the CLI's folder does.
func Of(t *testing.T, c *harness.CLI, stack string, offline bool) *run.Opened {
	t.Helper()
	in, err := projects.Open(c.Dir)
	require.NoError(t, err)
	found, err := engine.Find(t.Context(), engine.Search{
		Environ: c.Env,
		Dirs:    []string{filepath.Dir(filepath.Dir(enginetest.EnginePath(t)))},
	})
	require.NoError(t, err)
	interrupts := engine.WatchInterrupts()
	t.Cleanup(interrupts.Close)
	var other func(environment.Options) (workspace.Environment, error)
	if offline {
		other = sandbox.InMemory
	}
	where, err := environment.Open(other, environment.Options{Project: in, Environ: c.Env, Interrupts: interrupts})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, where.Close()) })
	session := &workspace.Session{
		Copies:  run.Copies,
		Project: in, Engine: found, Environ: c.Env, Environment: where, Interrupts: interrupts, Report: func(report.Event) {},
	}
	opened, err := run.Open(t.Context(), session, stack, nil, run.MustExist)
	require.NoError(t, err)
	t.Cleanup(opened.Stack.Close)
	return opened
}

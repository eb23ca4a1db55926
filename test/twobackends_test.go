package test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// madeIDs returns the resources of an account, by type and ID.
func madeIDs(t *testing.T, dir string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for _, r := range madeIn(t, dir) {
		ids[r.Type+" "+r.ID] = true
	}
	return ids
}

// TestARecoveryLeavesTheResourcesOfAnotherBackend: the same config is run with two backends, in one account. What the second one is killed at
// has the tags of the first one's.
func TestARecoveryLeavesTheResourcesOfAnotherBackend(t *testing.T) {
	t.Parallel()
	first := createdCLIStack(t)
	production := madeIDs(t, first.offlineDir())
	for _, token := range []string{awstype.VPC} {
		for _, when := range []string{"before", "after"} {
			t.Run(token+" "+when, func(t *testing.T) {
				t.Parallel()
				second := first.copy()
				require.NoError(t, os.RemoveAll(filepath.Join(second.offlineDir(), "state")))
				require.NoError(t, os.RemoveAll(filepath.Join(second.dir, ".hypershift-aws", "offline", "work")))
				_, stderr, code := second.with("PULUMI_PARALLEL=1", fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{creates: '%s', kill: engine, when: %s}]}", token, when)).
					exit("--offline", "up", "--yes", "--skip-preflight")
				require.Equal(t, 1, code, stderr)
				require.Contains(t, stderr, "the engine exited unexpectedly", "the call was reached")
				for range 300 {
					if _, stderr, code = second.exit("--offline", "repair"); code != 4 {
						break
					}
				}
				require.Zero(t, code, stderr)
				now := madeIDs(t, second.offlineDir())
				for id := range production {
					require.True(t, now[id], "%s of the other backend is deleted", id)
				}
				for _, r := range second.state() {
					require.False(t, production[string(r.Type)+" "+string(r.ID)] && string(r.Type) == token, "%s of the other backend is taken", r.ID)
				}
			})
		}
	}
}

// openIn opens a stack as a process in the CLI's folder does.
func openIn(t *testing.T, c *cli, stack string, offline bool) *run.Opened {
	t.Helper()
	in, err := projects.Open(c.dir)
	require.NoError(t, err)
	found, err := engine.Find(t.Context(), engine.Search{Environ: c.env, Dirs: []string{filepath.Dir(filepath.Dir(enginetest.EnginePath(t)))}})
	require.NoError(t, err)
	interrupts := engine.WatchInterrupts()
	t.Cleanup(interrupts.Close)
	var other func(environment.Options) (workspace.Environment, error)
	if offline {
		other = sandbox.InMemory
	}
	where, err := environment.Open(t.Context(), other, environment.Options{Project: in, Environ: c.env, Interrupts: interrupts})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, where.Close()) })
	session := &workspace.Session{
		Copies:  run.Copies,
		Project: in, Engine: found, Environ: c.env, Environment: where, Interrupts: interrupts, Report: func(report.Event) {},
	}
	opened, err := run.Open(t.Context(), session, stack, nil, run.MustExist)
	require.NoError(t, err)
	t.Cleanup(opened.Stack.Close)
	return opened
}

// TestAStateThatAnotherRunHasWrittenIsNotOverwritten: one process reads the state, another one updates the stack, and the first one writes.
func TestAStateThatAnotherRunHasWrittenIsNotOverwritten(t *testing.T) {
	t.Parallel()
	e := createdCLIStack(t)
	first := openIn(t, e.cli, "test", true)
	e.change()
	e.run("--offline", "up", "--yes")
	written := e.stateText()
	_, err := first.Release(t.Context())
	require.Equal(t, failure.Conflict, failure.ReasonOf(err), err)
	require.Equal(t, written, e.stateText())
	_, err = openIn(t, e.cli, "test", true).Release(t.Context())
	require.NoError(t, err)
}

func TestAStateInABucketThatAnotherRunHasWrittenIsNotOverwrittenThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud, c := newCloudFleet(t)
	c.run("fleet", "up", "--yes", "--select", "management")
	first := openIn(t, c, "management", false)
	c.run("-s", "management", "up", "--yes")
	const object = ".pulumi/stacks/hypershift-aws/management.json"
	written := cloud.object(object)
	_, err := first.Release(t.Context())
	require.Equal(t, failure.Conflict, failure.ReasonOf(err), err)
	require.Equal(t, written, cloud.object(object))
	_, err = openIn(t, c, "management", false).Release(t.Context())
	require.NoError(t, err)
}

// TestTwoProcessesOnOneStateLoseNothing runs two updates of one stack at the same time and kills each at one of its calls. A third one then
// finishes: the state has all resources of the account.
func TestTwoProcessesOnOneStateLoseNothing(t *testing.T) {
	t.Parallel()
	for call := 1; call <= sizes.Pick(1, 16); call++ {
		for _, victim := range sizes.First(1, []string{"engine", "both"}) {
			t.Run(fmt.Sprintf("%s-%d", victim, call), func(t *testing.T) {
				t.Parallel()
				e := createdCLIStack(t)
				e.change()
				var together sync.WaitGroup
				for i := range 2 {
					faults := fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: 0.0005, faults: [{call: %d, kill: %s}]}", call+i, victim)
					together.Go(func() { e.with(faults).exit("--offline", "up", "--yes") })
				}
				together.Wait()
				if !e.untilDecided("--offline", "up", "--yes") {
					t.Log("stopped: two candidates")
					return
				}
				e.requireTrue()
				e.run("--offline", "up", "--yes", "--expect-no-changes")
			})
		}
	}
}

package recovery

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/opening"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// TestARecoveryLeavesTheResourcesOfAnotherBackend: the same config is run with two backends, in one account, which is
// refused unless AWS refuses the lists. What the second one is killed at has the tags of the first one's.
func TestARecoveryLeavesTheResourcesOfAnotherBackend(t *testing.T) {
	t.Parallel()
	first := harness.CreatedStack(t)
	production := harness.MadeIDs(t, first.OfflineDir())
	for _, token := range []string{awstype.VPC} {
		for _, when := range []string{"before", "after"} {
			t.Run(token+" "+when, func(t *testing.T) {
				t.Parallel()
				second := first.Copy()
				require.NoError(t, os.RemoveAll(filepath.Join(second.OfflineDir(), "state")))
				require.NoError(t, os.RemoveAll(filepath.Join(second.Dir, ".hypershift-aws", "offline", "work")))
				_, stderr, code := second.Exit("--offline", "up", "--yes", "--skip-preflight")
				require.Equal(t, 2, code, stderr)
				require.Contains(t, stderr, "AWS already has resources that stack test would create and does not have in its state: "+
					"VPC network-vpc (vpc-")
				_, stderr, code = second.With("PULUMI_PARALLEL=1", fmt.Sprintf(
					"HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{creates: '%s', kill: engine, when: %s}, %s, %s]}", token, when,
					unlisted(awstype.VPC), unlisted(awstype.ElasticIP))).
					Exit("--offline", "up", "--yes", "--skip-preflight")
				require.Equal(t, 1, code, stderr)
				require.Contains(t, stderr, "the engine exited unexpectedly", "the call was reached")
				for range 300 {
					if _, stderr, code = second.Exit("--offline", "repair"); code != 4 {
						break
					}
				}
				require.Zero(t, code, stderr)
				now := harness.MadeIDs(t, second.OfflineDir())
				for id := range production {
					require.True(t, now[id], "%s of the other backend is deleted", id)
				}
				for _, r := range second.State() {
					require.False(t, production[string(r.Type)+" "+string(r.ID)] && string(r.Type) == token,
						"%s of the other backend is taken", r.ID)
				}
			})
		}
	}
}

// TestAStateThatAnotherRunHasWrittenIsNotOverwritten: one process reads the state, another one updates the stack, and
// the first one writes.
func TestAStateThatAnotherRunHasWrittenIsNotOverwritten(t *testing.T) {
	t.Parallel()
	e := harness.CreatedStack(t)
	first := opening.Of(t, e.CLI, "test", true)
	e.Change()
	e.Run("--offline", "up", "--yes")
	written := stateText(e)
	_, err := first.Release(t.Context(), false)
	require.Equal(t, failure.Conflict, failure.ReasonOf(err), err)
	require.Equal(t, written, stateText(e))
	_, err = opening.Of(t, e.CLI, "test", true).Release(t.Context(), false)
	require.NoError(t, err)
}

func TestAStateInABucketThatAnotherRunHasWrittenIsNotOverwrittenThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud, c := newCloudFleet(t)
	c.Run("fleet", "up", "--yes", "--select", "management")
	first := opening.Of(t, c, "management", false)
	c.Run("-s", "management", "up", "--yes")
	const object = ".pulumi/stacks/hypershift-aws/management.json"
	written := cloud.Object(object)
	_, err := first.Release(t.Context(), false)
	require.Equal(t, failure.Conflict, failure.ReasonOf(err), err)
	require.Equal(t, written, cloud.Object(object))
	_, err = opening.Of(t, c, "management", false).Release(t.Context(), false)
	require.NoError(t, err)
}

// TestTwoProcessesOnOneStateLoseNothing runs two updates of one stack at the same time and kills each at one of its
// calls. A third one then finishes: the state has all resources of the account.
func TestTwoProcessesOnOneStateLoseNothing(t *testing.T) {
	t.Parallel()
	for call := 1; call <= sizes.Pick(1, 16); call++ {
		for _, victim := range sizes.First(1, []string{"engine", "both"}) {
			t.Run(fmt.Sprintf("%s-%d", victim, call), func(t *testing.T) {
				t.Parallel()
				e := harness.CreatedStack(t)
				e.Change()
				var together sync.WaitGroup
				for i := range 2 {
					faults := fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: 0.0005, faults: [{call: %d, kill: %s}]}", call+i,
						victim)
					together.Go(func() { e.With(faults).Exit("--offline", "up", "--yes") })
				}
				together.Wait()
				if !e.UntilDecided("--offline", "up", "--yes") {
					t.Log("stopped: two candidates")
					return
				}
				e.RequireTrue()
				e.Run("--offline", "up", "--yes", "--expect-no-changes")
			})
		}
	}
}

package recovery

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// attack is what a seed does: it kills something at one call of a command. The seed decides what and when; which of the
// engine's parallel calls comes to be that one is up to the machine.
type attack struct {
	command string // "up", "change" or "destroy"
	victim  string
	signal  string
	when    string
	call    int
}

func newAttack(seed uint64) attack {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // not for secrets
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	return attack{
		command: pick("up", "change", "destroy"), victim: pick("cli", "engine", "both"),
		signal: pick("KILL", "KILL", "TERM"), when: pick("before", "after"), call: 1 + r.IntN(48),
	}
}

func (a attack) environment() string {
	return fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: 0.0005, faults: [{call: %d, kill: %s, signal: %s, when: %s}]}",
		a.call, a.victim, a.signal, a.when)
}

func TestTheNextRunRecoversFromAnyKilledProcess(t *testing.T) {
	t.Parallel()
	before := harness.CreatedStack(t)
	base := before.Dir
	after := before.Copy()
	after.Change()
	after.Run("--offline", "up", "--yes")
	want := map[string]map[string]string{"up": before.Graph(), "change": after.Graph(), "destroy": {}}
	require.Greater(t, len(want["change"]), len(want["up"]))

	seeds := sizes.Seeds(2, 200)
	var stopped atomic.Int32
	t.Cleanup(func() { t.Logf("%d seeds, of which %d stopped at two candidates", len(seeds), stopped.Load()) })
	for _, seed := range seeds {
		a := newAttack(seed)
		t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("again: %s: %+v", sizes.Again(t), a)
			e := harness.NewStack(t)
			if a.command != "up" {
				e = harness.StackAt(t, base).Copy()
			}
			command := a.command
			if command == "change" {
				e.Change()
				command = "up"
			}
			e.CLI.With(a.environment()).Exit("--offline", command, "--yes")
			if !e.UntilDecided("--offline", command, "--yes") {
				t.Log("stopped: two candidates")
				stopped.Add(1)
				return
			}
			require.Empty(t, harness.Differences(want[a.command], e.Graph()), "the end state")
			e.RequireTrue()
			if a.command != "destroy" {
				e.Run("--offline", "up", "--yes", "--expect-no-changes")
			}
		})
	}
}

// TestTheStateOfAnUpdateInProgressIsNotRestored truncates a state's file, as an engine does while it writes it.
func TestTheStateOfAnUpdateInProgressIsNotRestored(t *testing.T) {
	t.Parallel()
	e := harness.CreatedStack(t)
	folder := filepath.Join(e.OfflineDir(), "state", ".pulumi")
	path := filepath.Join(folder, "stacks", "hypershift-aws", "test.json")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)/2], 0o600))
	lock := filepath.Join(folder, "locks", "organization", "hypershift-aws", "test", "x.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o755))
	host, err := os.Hostname()
	require.NoError(t, err)
	held := fmt.Sprintf(`{"pid": %d, "username": "u", "hostname": %q, "timestamp": "2026-01-02T03:04:05Z"}`, os.Getpid(), host)
	require.NoError(t, os.WriteFile(lock, []byte(held), 0o600))

	_, stderr, code := e.Exit("--offline", "destroy", "--yes")
	require.Equal(t, 4, code, stderr)
	require.Contains(t, stderr, fmt.Sprintf("stack test is locked by u@%s, process %d, since 2026-01-02T03:04:05Z", host,
		os.Getpid()))
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, whole[:len(whole)/2], now)

	// Without the lock nothing proves which copy has all resources.
	require.NoError(t, os.Remove(lock))
	for _, command := range [][]string{{"preview"}, {"destroy", "--yes"}} {
		_, stderr, code = e.Exit(append([]string{"--offline"}, command...)...)
		require.Equal(t, 2, code, stderr)
		require.Contains(t, stderr, "repair --restore-state")
	}
	require.NotEmpty(t, harness.MadeIn(t, e.OfflineDir()))
	e.Run("--offline", "repair", "--restore-state")
	e.Run("--offline", "up", "--yes")
	e.RequireTrue()
}

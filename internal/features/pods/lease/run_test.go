package lease

import (
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/bucket"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// quick returns a timing for tests: the mark of a run that works is renewed much earlier than others count it as ended.
func quick() Timing {
	return Timing{Beat: 20 * time.Millisecond, Fence: time.Minute, Dead: 500 * time.Millisecond}
}

// place is a stack's place in a folder backend.
type place struct {
	*Stack
	folder string
}

func newPlace(t *testing.T) place {
	t.Helper()
	folder := t.TempDir()
	opened, err := Open(t.Context(), engine.Backend{URL: engine.FileURL(folder)}, "p", "organization/p/s")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	return place{opened, folder}
}

func (p place) begin(t *testing.T, dir string) (*Run, error) {
	t.Helper()
	tell := func(sentence string) { t.Log(sentence) }
	return p.Begin(t.Context(), Options{
		Timing: quick(),
		Dir:    dir,
		Names:  []string{"journal", "engines.jsonl"},
		Tell:   tell,
		Lost:   func(error) {},
	})
}

// write writes a file below the backend's folder.
func (p place) write(t *testing.T, name string, content any) string {
	t.Helper()
	path := filepath.Join(p.folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	text, err := json.Marshal(content)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// ofDead writes the mark of a run on another host that no longer works, with the journal of its engines, and the lock
// of the engine of that ID.
func (p place) ofDead(t *testing.T, engine int) (lock string) {
	t.Helper()
	now := time.Now().UTC()
	me, err := user.Current()
	require.NoError(t, err)
	p.write(t, ".hypershift-aws/p/s/runs/x.json", mark{
		Host:    "elsewhere",
		Process: state.Process{PID: 7, Boot: "b", Start: "1"},
		Since:   now.Add(-time.Minute),
	})
	p.write(t, ".hypershift-aws/p/s/engines.jsonl", state.Process{
		PID:   41,
		Boot:  "b",
		Start: "2",
		Noted: now.Add(-30 * time.Second),
	})
	p.write(t, ".hypershift-aws/p/s/journal", "of the dead")
	return p.write(t, ".pulumi/locks/organization/p/s/l.json", map[string]any{
		"pid": engine, "username": me.Username, "hostname": "elsewhere", "timestamp": now.Add(-29 * time.Second),
	})
}

func TestTheNextRunHasTheFilesOfTheLast(t *testing.T) {
	t.Parallel()
	p, first, second := newPlace(t), t.TempDir(), t.TempDir()
	run, err := p.begin(t, first)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(first, "journal"), []byte("one"), 0o600))
	require.NoError(t, run.Store(t.Context()))
	require.NoError(t, os.WriteFile(filepath.Join(first, "journal"), []byte("two"), 0o600))
	require.NoError(t, run.End(t.Context(), func(string) {}))

	require.NoError(t, os.WriteFile(filepath.Join(second, "engines.jsonl"), []byte("of another stack"), 0o600))
	run, err = p.begin(t, second)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(second, "journal"))
	require.NoError(t, err)
	require.Equal(t, "two", string(text))
	require.NoFileExists(t, filepath.Join(second, "engines.jsonl"))
	require.NoError(t, os.Remove(filepath.Join(second, "journal")))
	require.NoError(t, run.End(t.Context(), func(string) {}))
	require.NoFileExists(t, filepath.Join(p.folder, ".hypershift-aws", "p", "s", "journal"))
}

func TestOnlyOneRunWorksOnAStack(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	run, err := p.begin(t, t.TempDir())
	require.NoError(t, err)
	_, err = p.begin(t, t.TempDir())
	require.Equal(t, failure.Conflict, failure.ReasonOf(err), "its process runs")

	// Of another machine only the mark is known.
	run.mu.Lock()
	run.mark.Process.Boot = "another"
	run.mu.Unlock()
	require.NoError(t, run.beat(t.Context()))
	_, err = p.begin(t, t.TempDir())
	require.Equal(t, failure.Conflict, failure.ReasonOf(err), "its mark changes")
	require.ErrorContains(t, err, "Conflict: Another update is currently in progress")
	require.ErrorContains(t, err, "the stack is currently locked by")
	require.NoError(t, run.End(t.Context(), func(string) {}))
	run, err = p.begin(t, t.TempDir())
	require.NoError(t, err)
	require.NoError(t, run.End(t.Context(), func(string) {}))
}

func TestALockIsReleasedOnlyForARunThatIsProvedToHaveEnded(t *testing.T) {
	t.Parallel()
	t.Run("an engine of a dead run", func(t *testing.T) {
		t.Parallel()
		p, dir := newPlace(t), t.TempDir()
		lock := p.ofDead(t, 41)
		run, err := p.begin(t, dir)
		require.NoError(t, err)
		require.NoFileExists(t, lock)
		require.FileExists(t, filepath.Join(dir, "journal"))
		require.NoError(t, run.End(t.Context(), func(string) {}))
	})
	t.Run("another engine on the host of a dead run", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		lock := p.ofDead(t, 42)
		_, err := p.begin(t, t.TempDir())
		require.Equal(t, failure.Conflict, failure.ReasonOf(err))
		require.FileExists(t, lock)
		marks, err := filepath.Glob(filepath.Join(p.folder, ".hypershift-aws", "p", "s", "runs", "*"))
		require.NoError(t, err)
		require.Len(t, marks, 1, "that of the dead run, for which the next run needs the proof again")
	})
	t.Run("an engine without a run", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		lock := p.ofDead(t, 41)
		require.NoError(t, os.Remove(filepath.Join(p.folder, ".hypershift-aws", "p", "s", "runs", "x.json")))
		_, err := p.begin(t, t.TempDir())
		require.Equal(t, failure.Conflict, failure.ReasonOf(err))
		require.FileExists(t, lock)
	})
}

func TestARunThatCannotShowThatItIsAliveKillsItsEngine(t *testing.T) {
	t.Parallel()
	p, lost := newPlace(t), atomic.Bool{}
	timing := quick()
	timing.Fence = 100 * time.Millisecond
	run, err := p.Begin(t.Context(), Options{Timing: timing, Dir: t.TempDir(), Tell: func(string) {}, Lost: func(error) {
		lost.Store(true)
	}})
	require.NoError(t, err)
	// The folder of the marks becomes a file: nothing can be written there.
	runs := filepath.Join(p.folder, ".hypershift-aws", "p", "s", "runs")
	require.NoError(t, os.Rename(runs, runs+"-gone"))
	require.NoError(t, os.WriteFile(runs, nil, 0o600))
	require.Eventually(t, lost.Load, time.Minute, 10*time.Millisecond)
	run.stop()
}

func TestABackendThatIsNoBucketIsRefused(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"https://api.pulumi.com", "gs://states", "azblob://states"} {
		_, err := Open(t.Context(), engine.Backend{URL: url}, "p", "s")
		require.ErrorIs(t, err, bucket.ErrNoBucket, url)
	}
	for _, url := range []string{"s3://states/below?region=us-east-1&endpoint=localhost:9000&disableSSL=true&s3ForcePathStyle=true", "s3://states?awssdk=v2&region=us-east-1"} {
		opened, err := Open(t.Context(), engine.Backend{URL: url}, "p", "s")
		require.NoError(t, err, fmt.Sprint(url))
		require.NoError(t, opened.Close())
	}
}

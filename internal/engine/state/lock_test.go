package state

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lockedBy writes the engine's lock of a process on a stack, and returns the backend's folder.
func lockedBy(t *testing.T, pid int, since time.Time) string {
	t.Helper()
	folder := t.TempDir()
	dir := filepath.Join(folder, ".pulumi", "locks", "organization", "p", "s")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	host, err := os.Hostname()
	require.NoError(t, err)
	me, err := user.Current()
	require.NoError(t, err)
	text := fmt.Sprintf(`{"pid": %d, "username": %q, "hostname": %q, "timestamp": %q}`, pid, me.Username, host, since.Format(time.RFC3339Nano))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.json"), []byte(text), 0o600))
	return folder
}

// ended returns the ID and the record of a process that has ended.
func ended(t *testing.T) (int, Processes) {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	require.NoError(t, cmd.Start())
	record := NewProcesses(t.TempDir())
	require.NoError(t, record.Started(cmd.Process.Pid))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
	return cmd.Process.Pid, record
}

func TestALockIsReleasedOnlyForAProcessThatIsProvedDead(t *testing.T) {
	t.Parallel()
	if _, _, err := thisSystem(); err != nil {
		t.Skip(err) // no lock is released there
	}
	read := func(folder string, record Processes) Lock {
		locks, err := ReadLocks(folder, "p", "s", record)
		require.NoError(t, err)
		require.Len(t, locks, 1)
		return locks[0]
	}
	pid, record := ended(t)
	require.True(t, read(lockedBy(t, pid, time.Now()), record).Dead)
	require.False(t, read(lockedBy(t, pid, time.Now()), NewProcesses(t.TempDir())).Dead,
		"an engine without a record: of another container, with equal names")
	require.False(t, read(lockedBy(t, pid, time.Now().Add(-time.Hour)), record).Dead,
		"a lock from before the recorded process")

	list, err := record.Read()
	require.NoError(t, err)
	for name, change := range map[string]func(*Process){
		"another boot":      func(p *Process) { p.Boot = "x" },
		"another namespace": func(p *Process) { p.Namespace = "pid:[1]" },
		"no start":          func(p *Process) { p.Start = "" },
	} {
		other := list[0]
		change(&other)
		require.False(t, other.Dead(), name)
		changed := NewProcesses(t.TempDir())
		text, err := json.Marshal(other)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(changed.path, append(text, '\n'), 0o600))
		require.False(t, read(lockedBy(t, pid, time.Now()), changed).Dead, name)
	}

	running := NewProcesses(t.TempDir())
	require.NoError(t, running.Started(os.Getpid()))
	lock := read(lockedBy(t, os.Getpid(), time.Now()), running)
	require.True(t, lock.Alive)
	require.False(t, lock.Dead)
	list, err = running.Read()
	require.NoError(t, err)
	require.True(t, list[0].Runs())
	list[0].Start = "1"
	require.True(t, list[0].Dead(), "its ID belongs to another process by now")
}

func TestAStateIsComparedByWhatWasRead(t *testing.T) {
	t.Parallel()
	read := func(text string) *Deployment {
		d, err := ParseExport([]byte(`{"version":3,"deployment":` + text + `}`))
		require.NoError(t, err)
		return d
	}
	const one = `{"manifest":{"time":"2026-01-02T03:04:05.1Z"},"resources":[{"urn":"a","inputs":{"k":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","ciphertext":"c"}}}]}`
	same := func(a, b *Deployment) bool {
		equal, err := a.SameRead(b)
		require.NoError(t, err)
		return equal
	}
	base := read(one)
	require.True(t, same(base, read(strings.ReplaceAll(one, `"c"`, `"encrypted again"`))))
	require.True(t, same(base, read(strings.ReplaceAll(one, `,"resources"`, `,  "resources"`))))
	require.False(t, same(base, read(strings.ReplaceAll(one, `05.1Z`, `05.2Z`))))
	require.False(t, same(base, read(strings.ReplaceAll(one, `"urn":"a"`, `"urn":"b"`))))
	require.False(t, same(base, read(strings.Replace(one, `]}`, `],"pending_operations":[{"type":"creating","resource":{"urn":"b"}}]}`, 1))))
	changed, err := base.Copy()
	require.NoError(t, err)
	changed.Resources = nil
	require.True(t, same(changed, read(one)), "later changes do not count")
	require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 100_000_000, time.UTC), changed.Written())
	newer, err := ParseExport([]byte(`{"version":4,"features":["x"],"deployment":` + strings.ReplaceAll(one, `05.1Z`, `05.2Z`) + `}`))
	require.NoError(t, err)
	require.False(t, same(changed, newer))
	changed.Rebase(newer)
	require.True(t, same(changed, newer), "an engine has written another version since")
	require.True(t, same(read("null"), read(`{"manifest":{"time":"0001-01-01T00:00:00Z"}}`)), "a state that was never updated")
}

package state

import (
	"encoding/json"
	"fmt"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/atomicfile"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"
)

// Lock is the lock of an update that is in progress or was interrupted.
type Lock struct {
	// Holder is "user@host".
	Holder string
	// Host is the holder's host.
	Host string
	// Process is the holder's process ID on its host.
	Process int
	// Since is when the lock was taken.
	Since time.Time
	// Alive is true if a process with that ID runs on a machine of this name.
	Alive bool
	// Dead is true if the process is proved to have ended. Neither is true for all that cannot be decided.
	Dead bool
	// Recorded is true if the lock was taken by an engine of the record.
	Recorded bool
	// path is the lock's file.
	path string
}

// String returns the owner of the lock and its time.
func (l Lock) String() string {
	return fmt.Sprintf("%s, process %d, since %s", l.Holder, l.Process, l.Since.Format(time.RFC3339))
}

// ReadLocks reads the locks on a stack in a backend's folder, taken by the recorded engines or by others. For other backends, with folder "",
// only the engine can read them.
func ReadLocks(folder, project, stack string, engines Processes) ([]Lock, error) {
	if folder == "" {
		return nil, nil
	}
	recorded, err := engines.Read()
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(atomicfile.EscapeGlob(folder), ".pulumi", "locks", "organization", project, stack, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("reading the locks: %w", err)
	}
	var locks []Lock
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue // released in the meantime
		}
		if err != nil {
			return nil, fmt.Errorf("reading a lock: %w", err)
		}
		lock, err := ParseLock(content, recorded)
		if err != nil {
			return nil, fmt.Errorf("reading the lock %s: %w", path, err)
		}
		lock.path = path
		locks = append(locks, lock)
	}
	return locks, nil
}

// ParseLock reads the content of an engine's lock. recorded are the engines that were started for the stack.
func ParseLock(content []byte, recorded []Process) (Lock, error) {
	var held struct {
		PID                int
		Username, Hostname string
		Timestamp          time.Time
	}
	if err := json.Unmarshal(content, &held); err != nil {
		return Lock{}, err
	}
	here := onThisHost(held.Hostname)
	process, known := holder(recorded, held.PID, held.Timestamp)
	return Lock{
		Holder: held.Username + "@" + held.Hostname, Host: held.Hostname, Process: held.PID, Since: held.Timestamp, Recorded: known,
		Alive: here && !process.Dead() && engine.ProcessRuns(held.PID), Dead: here && known && process.Dead() && isThisUser(held.Username),
	}, nil
}

func onThisHost(name string) bool {
	host, err := os.Hostname()
	return err == nil && strings.EqualFold(host, name)
}

func isThisUser(name string) bool {
	u, err := user.Current()
	return err == nil && u.Username == name
}

// Release removes the lock, and the second file that the engine's storage writes with it.
func (l Lock) Release() error {
	for _, path := range []string{l.path, l.path + ".attrs"} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("releasing the lock of %s: %w", l.Holder, err)
		}
	}
	return nil
}

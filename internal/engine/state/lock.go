package state

import (
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Lock is a lock in a backend's folder.
type Lock struct {
	backend.Lock
	// path is the lock's file.
	path string
}

// ReadLocks reads the locks on a stack in a backend's folder, taken by the recorded engines or by others. For other
// backends, with folder "", only the engine can read them.
func ReadLocks(folder, project, stack string, engines Processes) ([]Lock, error) {
	if folder == "" {
		return nil, nil
	}
	recorded, err := engines.Read()
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(atomicfile.EscapeGlob(folder), ".pulumi", "locks", "organization", project,
		stack, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("reading the locks: %w", err)
	}
	var locks []Lock
	for _, path := range paths {
		content, err := atomicfile.ReadRegular(path)
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
	return Lock{Lock: backend.Lock{
		Holder: held.Username + "@" + held.Hostname, Host: held.Hostname, Process: held.PID, Since: held.Timestamp, Recorded: known,
		Alive: here && !process.Dead() && proc.Runs(held.PID),
		Dead:  here && known && process.Dead() && isThisUser(held.Username),
	}}, nil
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

package automation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Lock is a hold on a stack by a running update, or by one that died.
type Lock struct {
	// Holder is "user@host".
	Holder string
	// Process is the holder's process ID on its host.
	Process int
	// Since is when the lock was taken.
	Since time.Time
	// Alive is whether that process runs now, as far as this machine can tell.
	Alive bool
}

// String says who holds the lock and since when.
func (l Lock) String() string {
	return fmt.Sprintf("%s, process %d, since %s", l.Holder, l.Process, l.Since.Format(time.RFC3339))
}

// locks reads the locks on a stack where they are files; elsewhere only the engine sees them.
func (b Backend) locks(project, stack string) ([]Lock, error) {
	folder := b.folder()
	if folder == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(filepath.Join(escapeGlob(folder), ".pulumi", "locks", "organization", project, stack, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("looking for locks: %w", err)
	}
	var locks []Lock
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue // released meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("reading a lock: %w", err)
		}
		var held struct {
			PID                int
			Username, Hostname string
			Timestamp          time.Time
		}
		if err := json.Unmarshal(content, &held); err != nil {
			return nil, fmt.Errorf("reading the lock %s: %w", path, err)
		}
		host, _ := os.Hostname()
		locks = append(locks, Lock{
			Holder: held.Username + "@" + held.Hostname, Process: held.PID, Since: held.Timestamp,
			Alive: strings.EqualFold(host, held.Hostname) && processRuns(held.PID),
		})
	}
	return locks, nil
}

package state

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Process identifies a process beyond its ID, which another process has after a restart of the machine or in another
// container.
type Process struct {
	PID int `json:"pid"`
	// Boot is the kernel's ID of the time since it started, Namespace the namespace of process IDs. "" where the system
	// has none.
	Boot      string `json:"boot"`
	Namespace string `json:"namespace"`
	// Start is when the process started, in the system's own form.
	Start string `json:"start"`
	// Noted is when the record was made.
	Noted time.Time `json:"noted"`
}

// ThisProcess returns the record of this process. It can never be proved to have ended where the system cannot tell
// processes apart.
func ThisProcess() Process {
	process, _ := identifyProcess(os.Getpid())
	return process
}

// identifyProcess returns the record of a process, and false where the system cannot tell processes apart.
func identifyProcess(pid int) (Process, bool) {
	boot, namespace, err := thisSystem()
	if err != nil {
		return Process{PID: pid}, false
	}
	start, err := startTime(pid)
	return Process{PID: pid, Boot: boot, Namespace: namespace, Start: start, Noted: time.Now().UTC()}, err == nil
}

// Dead reports whether the process is proved to have ended: this machine has not been restarted since, process IDs mean
// the same here, and no process has the ID, or another one has it. It is false for all that cannot be decided.
func (p Process) Dead() bool {
	boot, namespace, err := thisSystem()
	if err != nil || p.PID <= 0 || p.Boot == "" || p.Start == "" || boot != p.Boot || namespace != p.Namespace {
		return false
	}
	if !proc.Runs(p.PID) {
		return true
	}
	start, err := startTime(p.PID)
	return err == nil && start != p.Start
}

// Runs reports whether the process is known to run.
func (p Process) Runs() bool {
	boot, namespace, err := thisSystem()
	if err != nil || p.PID <= 0 || p.Boot != boot || p.Namespace != namespace || !proc.Runs(p.PID) {
		return false
	}
	start, err := startTime(p.PID)
	return err == nil && start == p.Start
}

// Processes is the record of the engines that were started for a stack, in the folder in which they run, one JSON
// object per line. The lock that the engine writes itself has only names and the process ID.
type Processes struct{ path string }

// NewProcesses returns the record of the stack whose engine runs in a folder.
func NewProcesses(workDir string) Processes {
	return Processes{filepath.Join(workDir, "engines.jsonl")}
}

// Started records a process that was just started. Where the system cannot tell processes apart it records nothing, and
// the lock of the process is never released by itself.
func (p Processes) Started(pid int) error {
	process, known := identifyProcess(pid)
	if !known {
		return nil
	}
	if err := atomicfile.AppendLine(p.path, process); err != nil {
		return fmt.Errorf("recording the engine's process: %w", err)
	}
	return nil
}

// Read returns the recorded processes, the last one last.
func (p Processes) Read() ([]Process, error) {
	if p.path == "" {
		return nil, nil
	}
	list, err := atomicfile.Lines[Process](p.path)
	if err != nil {
		return nil, fmt.Errorf("reading the record of engines: %w", err)
	}
	return list, nil
}

// lockWithin is how long an engine needs at most from its start until it takes the lock.
const lockWithin = 5 * time.Minute

// holder returns the process that took a lock at that time: the last one of that ID that was started shortly before.
func holder(list []Process, pid int, since time.Time) (Process, bool) {
	found, has := Process{}, false
	for _, one := range list {
		// The record may be written after the lock.
		if after := since.Sub(one.Noted); one.PID == pid && after > -time.Minute && after < lockWithin {
			found, has = one, true
		}
	}
	return found, has
}

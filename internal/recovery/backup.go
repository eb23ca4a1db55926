package recovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"github.com/hypershift-aws/hypershift-aws/internal/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup is a copy of a stack's state from before an operation. Together with the journal it is all that is needed to find
// what was made since, where the engine's storage in a folder fails in one of two ways. Beside each file is a second one,
// ".attrs", that is not replaced atomically: an engine that is killed at that moment leaves it empty, and the state
// unreadable. And a write that fails on a full disk replaces the file by its first part, and then the engine's backup too.
type Backup struct {
	state state.File
	copy  string
}

// NewBackup is the backup of a state in the folder that the stack's engine runs in.
func NewBackup(state state.File, workDir string) Backup {
	return Backup{state, filepath.Join(workDir, "state-before.json")}
}

// Keep copies the state before an operation.
func (b Backup) Keep() error {
	path := b.state.Path()
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = atomicfile.Write(b.copy, text)
	}
	if err != nil {
		return &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("copying the state before anything is changed: %s", err),
			Remedy:  "free space on the disk, or repair the folder, and run the command again", Cause: err,
		}
	}
	return nil
}

// Restore makes a state readable that the engine left damaged, and reports how.
func (b Backup) Restore(j Journal, tell func(report.Event)) error {
	path := b.state.Path()
	if path == "" {
		return nil
	}
	restored := false
	if damaged(path) {
		before, err := os.ReadFile(b.copy)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !json.Valid(before) {
			return nil // the engine says what is wrong with the state
		}
		if err == nil {
			err = j.restored()
		}
		if err == nil {
			err = atomicfile.Write(path, before)
		}
		if err != nil {
			return fmt.Errorf("restoring the state from before the last operation: %w", err)
		}
		restored = true
		tell(&report.NoteEvent{Message: "the state was cut off when it was written: it is put back to what it was before that operation, " +
			"and what was made since is looked for"})
	}
	if restored || damaged(path+".attrs") {
		if err := os.Remove(path + ".attrs"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("repairing the state: %w", err)
		}
	}
	return nil
}

func damaged(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && !json.Valid(text)
}

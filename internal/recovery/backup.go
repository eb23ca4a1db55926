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

// Backup is a copy of a stack's state from before an operation. Together with the journal it is sufficient to find the resources created
// since, after two failures of the engine's storage in a folder: (1) The engine writes a second file, ".attrs", next to each file, and does
// not replace it atomically. If the engine is killed at that moment, the file is empty and the state unreadable. (2) If a write fails on a
// full disk, only the first part of the file remains, and later only the first part of the engine's own backup.
type Backup struct {
	state state.File
	copy  string
}

// NewBackup returns the backup of a state, in the folder in which the stack's engine runs.
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
			Problem: fmt.Sprintf("copying the state before the operation: %s", err),
			Remedy:  "free space on the disk, or repair the folder, and run the command again", Cause: err,
		}
	}
	return nil
}

// Restore makes a state readable that the engine left damaged, and reports what it did.
func (b Backup) Restore(j Journal, tell func(report.Event)) error {
	path := b.state.Path()
	if path == "" {
		return nil
	}
	restored := false
	if damaged(path) {
		before, err := os.ReadFile(b.copy)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !json.Valid(before) {
			return nil // the engine reports what is wrong with the state
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
		tell(&report.NoteEvent{Message: "the state file is incomplete: the state from before the interrupted operation was restored, " +
			"and resources created since then are searched for in AWS"})
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

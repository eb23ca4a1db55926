package automation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// backup is a copy of a stack's state from before an operation. Together with the journal it is all that is needed to find
// what was made since, where the engine's storage in a folder fails in one of two ways. Beside each file is a second one,
// ".attrs", that is not replaced atomically: an engine that is killed at that moment leaves it empty, and the state
// unreadable. And a write that fails on a full disk replaces the file by its first part, and then the engine's backup too.
type backup struct {
	state StateFile
	copy  string
}

// newBackup is the backup of a state in the folder that the stack's engine runs in.
func newBackup(state StateFile, workDir string) backup {
	return backup{state, filepath.Join(workDir, "state-before.json")}
}

// keep copies the state before an operation.
func (b backup) keep() error {
	path := b.state.Path()
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = writeFile(b.copy, text)
	}
	if err != nil {
		return &Error{
			Reason:  Failed,
			Problem: fmt.Sprintf("copying the state before anything is changed: %s", err),
			Remedy:  "free space on the disk, or repair the folder, and run the command again", Cause: err,
		}
	}
	return nil
}

// restore makes a state readable that the engine left damaged, and reports how.
func (b backup) restore(j journal, report func(Event)) error {
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
			err = writeFile(path, before)
		}
		if err != nil {
			return fmt.Errorf("restoring the state from before the last operation: %w", err)
		}
		restored = true
		report(&NoteEvent{Message: "the state was cut off when it was written: it is put back to what it was before that operation, " +
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

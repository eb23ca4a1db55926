package automation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A state in a folder has two weak points in the engine's storage. Beside each file is a second one, ".attrs", that is not
// replaced whole: an engine that dies at that moment leaves it empty, and the state unreadable. And a write that fails on
// a full disk puts what was written of the file in the place of the whole, and then does so to the backup.
//
// So a copy of the state is kept from before each operation. Together with what the engine was seen to begin since
// (underWay), it is all that is needed to find what was made meanwhile.

func (s *Stack) stateCopy() string { return filepath.Join(s.workDir, "state-before.json") }

// keepState copies the state before an operation.
func (s *Stack) keepState() error {
	path := s.stateFile()
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = writeFile(s.stateCopy(), text)
	}
	if err != nil {
		return &Error{
			Reason:  Failed,
			Problem: fmt.Sprintf("keeping a copy of the state before anything is changed: %s", err),
			Remedy:  "make room on the disk, or mend the folder, and run the command again", Cause: err,
		}
	}
	return nil
}

// mendState makes a state readable that the engine left damaged, and says how. It reports whether there was anything to
// mend.
func (s *Stack) mendState() (bool, error) {
	path := s.stateFile()
	if path == "" {
		return false, nil
	}
	mended := false
	if damaged(path) {
		before, err := os.ReadFile(s.stateCopy())
		if errors.Is(err, fs.ErrNotExist) || err == nil && !json.Valid(before) {
			return false, nil
		}
		if err == nil {
			err = s.underWay().restored()
		}
		if err == nil {
			err = writeFile(path, before)
		}
		if err != nil {
			return false, fmt.Errorf("putting back the state from before the last operation: %w", err)
		}
		mended = true
		s.session.Report(&NoteEvent{Message: "the state was cut off when it was written: it is put back to what it was before that operation, " +
			"and what was made since is looked for"})
	}
	if mended || damaged(path+".attrs") {
		if err := os.Remove(path + ".attrs"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("mending the state: %w", err)
		}
		mended = true
	}
	return mended, nil
}

func damaged(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && !json.Valid(text)
}

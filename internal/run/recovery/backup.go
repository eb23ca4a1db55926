package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Backup is a copy of a stack's state from before an operation. Together with the journal it is sufficient to find the
// resources created since, after two failures of the engine's storage in a folder: (1) The engine writes a second file,
// ".attrs", next to each file, and does not replace it atomically. If the engine is killed at that moment, the file is
// empty and the state unreadable. (2) If a write fails on a full disk, only the first part of the file remains, and
// later only the first part of the engine's own backup.
type Backup struct {
	state state.File
	copy  string
}

// NewBackup returns the backup of a state, in the folder in which the stack's engine runs.
func NewBackup(state state.File, workDir string) Backup {
	return Backup{state, filepath.Join(workDir, "state-before.json")}
}

// Keep copies the state before an operation, and returns when that state was written; zero if only the engine can read
// it.
func (b Backup) Keep() (time.Time, error) {
	path := b.state.Path()
	if path == "" {
		return time.Time{}, nil
	}
	text, err := atomicfile.ReadRegular(path)
	if err == nil {
		err = atomicfile.Write(b.copy, text)
	}
	if err != nil {
		return time.Time{}, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("copying the state before the operation: %s", err),
			Remedy:  "free space on the disk, or repair the folder, and run the command again", Cause: err,
		}
	}
	return state.CheckpointWritten(text), nil // the engine reports what is wrong with it
}

// stateCopy is a copy of the state in a file.
type stateCopy struct {
	text  []byte
	state *state.Deployment
}

// readCopy reads a copy; nil if there is none, or if it is damaged too.
func readCopy(path string) *stateCopy {
	text, err := atomicfile.ReadRegular(path)
	if err != nil {
		return nil
	}
	d, err := state.ParseCheckpoint(text)
	if err != nil || d == nil {
		return nil
	}
	return &stateCopy{text, d}
}

// newest returns the copy that was written last: this program's, or one of the engine's own.
func (b Backup) newest() *stateCopy {
	newest := readCopy(b.copy)
	for _, path := range b.state.Copies() {
		if one := readCopy(path); one != nil && (newest == nil || one.state.Written().After(newest.state.Written())) {
			newest = one
		}
	}
	return newest
}

// Restore makes a state readable that the engine left damaged, and reports what it did. It restores the copy of this
// program if it is the state with which the journal's run began, and no copy of the engine has what neither this copy
// nor the journal knows. Any other copy is restored only with the user's consent.
func (b Backup) Restore(j Journal, consent bool, tell func(report.Event)) error {
	path := b.state.Path()
	if path == "" {
		return nil
	}
	restored := false
	if damaged(path) {
		run, err := j.unfinished()
		if err != nil {
			return err
		}
		before, newest := readCopy(b.copy), b.newest()
		whole := before != nil && run.begin != nil && run.begin.State.Equal(before.state.Written()) &&
			run.knows(before.state, newest.state)
		switch {
		case newest == nil:
			return nil // the engine reports what is wrong with the state
		case whole:
		case consent:
			before = newest
		default:
			return b.refusal(run, newest)
		}
		if err := errors.Join(j.restored(), atomicfile.Write(path, before.text)); err != nil {
			return fmt.Errorf("restoring the state: %w", err)
		}
		restored = true
		tell(&event.Note{Message: fmt.Sprintf("the state file is incomplete: the state written at %s was restored, and resources created "+
			"since then are searched for in AWS, as far as this machine's journal has them", stamp(before.state.Written()))})
	}
	if restored || damaged(path+".attrs") {
		if err := os.Remove(path + ".attrs"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("repairing the state: %w", err)
		}
	}
	return nil
}

// knows reports whether each resource of the newest state is in the state before the run, or in the journal.
func (i interrupted) knows(before, newest *state.Deployment) bool {
	if newest == nil {
		return true
	}
	urns := map[string]bool{}
	for _, r := range before.Resources {
		urns[string(r.URN)] = true
	}
	for _, r := range newest.Resources {
		if r.Custom && !urns[string(r.URN)] && !i.urns[string(r.URN)] {
			return false
		}
	}
	return true
}

// refusal names the copy that could be restored, and what is known about the state that was lost.
func (b Backup) refusal(run interrupted, newest *stateCopy) error {
	began := "no run of this machine was interrupted"
	if run.begin != nil {
		began = "the run that was interrupted here began with the state written at " + stamp(run.begin.State)
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the state file %s is incomplete; the newest copy was written at %s, and %s: it may lack resources that were created since",
			b.state.Path(), stamp(newest.state.Written()), began),
		Remedy: "restore the file from a backup of the folder; or `hypershift-aws repair --restore-state`, which restores that copy",
	}
}

// stamp returns a time as messages show it.
func stamp(at time.Time) string {
	if at.IsZero() {
		return "its creation"
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// Damaged reports whether the file of a state, or the second one beside it, is incomplete.
func Damaged(f state.File) bool {
	path := f.Path()
	return path != "" && (damaged(path) || damaged(path+".attrs"))
}

func damaged(path string) bool {
	text, err := atomicfile.ReadRegular(path)
	return err == nil && !gjson.ValidBytes(text)
}

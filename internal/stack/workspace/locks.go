package workspace

import (
	"errors"
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Exclude keeps other processes of this machine from settling or changing the stack until release is called or this
// process ends. A backend locks a stack only while an engine changes it, and some do not show their locks; the journal
// in the stack's folder belongs to one run.
func (s *Stack) Exclude() (release func(), err error) {
	lock, err := atomicfile.Lock(filepath.Join(s.WorkDir, "lock"))
	if errors.Is(err, atomicfile.ErrLocked) {
		if held, _ := s.Lock(); held != nil {
			return nil, LockedBy(s.Name, held)
		}
		e := Locked(s.Name, "", err)
		e.Problem, e.Remedy = "stack "+s.Name+" is locked by another process of this machine", "wait for it to end"
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// ReleaseDead releases the locks of engines of this stack's folder that are proved to have ended. It does not release
// others: whether a process of another machine or container runs cannot be decided here.
func (s *Stack) ReleaseDead() error {
	locks, err := s.Locks()
	if err != nil {
		return err
	}
	for _, lock := range locks {
		if !lock.Dead {
			continue
		}
		if err := lock.Release(); err != nil {
			return err
		}
		s.Say("released the lock of an interrupted run on this machine (%s)", lock)
	}
	return nil
}

// Lock returns the lock of an update that is or may be in progress, nil if there is none.
func (s *Stack) Lock() (*state.Lock, error) {
	locks, err := s.Locks()
	for _, lock := range locks {
		if !lock.Dead {
			return &lock, err
		}
	}
	return nil, err
}

// Locks lists the locks on the stack, if the backend shows them.
func (s *Stack) Locks() ([]state.Lock, error) {
	return state.ReadLocks(s.Backend.Folder(), s.Session.Project.Name(), s.Name, state.NewProcesses(s.WorkDir))
}

// ShowsLocks reports whether Locks can see the backend's locks.
func (s *Stack) ShowsLocks() bool { return s.Backend.Folder() != "" }

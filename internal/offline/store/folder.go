package store

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Folder has the records of one account or cluster. Several processes may use it at once.
type Folder struct {
	id  string
	Dir string

	mu    sync.Mutex
	lock  *os.File
	store *Store
}

// Open opens the folder at path, for the account or cluster with that ID. The folder is created if missing.
func Open(path, id string) (*Folder, error) {
	if err := MakeDir(path); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening offline account %s: %w", id, err)
	}
	return &Folder{id: id, Dir: path, lock: lock, store: &Store{Dir: path, seen: -1}}, nil
}

// Close closes the folder's lock file.
func (f *Folder) Close() error { return f.lock.Close() }

// ID returns the account's twelve digits, or the cluster's name.
func (f *Folder) ID() string { return f.id }

// Transact runs act on the current records while no other process can change them, and stores the changes unless act fails.
func (f *Folder) Transact(act func(*Tx) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	unlock, err := lockFile(f.lock)
	if err != nil {
		return fmt.Errorf("locking offline account %s: %w", f.id, err)
	}
	defer unlock()
	if err := f.store.refresh(); err != nil {
		return fmt.Errorf("reading offline account %s: %w", f.id, err)
	}
	t := &Tx{Store: f.store}
	if err := act(t); err != nil {
		return err
	}
	if err := t.Commit(); err != nil {
		return fmt.Errorf("storing offline account %s: %w", f.id, err)
	}
	return nil
}

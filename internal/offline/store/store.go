// Package store stores the records of offline accounts and clusters in files that several processes share.
package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// GlobalScope is the scope of resources of services without regions.
const GlobalScope = "global"

// Origin is the creator of a resource.
type Origin string

// The origins of a record.
const (
	ByStack Origin = "stack" // created by a stack
	BySeed  Origin = "seed"  // created with the account
	ByAWS   Origin = "aws"   // created by AWS along with another resource
	// ByOperator: created by HyperShift's operators for a hosted cluster.
	ByOperator Origin = "operator"
)

// Entry is a resource as the account stores it, in its own file.
type Entry struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Scope  string `json:"scope"`
	Origin Origin `json:"origin"`
	// CreatedAt is when it was created, more exact than a Kubernetes object's own timestamp.
	CreatedAt time.Time `json:"born,omitzero"`
	State     props.Map `json:"state"`
}

// Clone returns a deep copy.
func (r *Entry) Clone() *Entry {
	c := *r
	c.State = r.State.Clone()
	return &c
}

// Key identifies a record.
type Key struct{ Scope, Token, ID string }

func (r *Entry) key() Key { return Key{r.Scope, r.Type, r.ID} }

// Path returns the record's file under the account's folder: "us-east-1/ec2.Subnet/subnet-0a1b….json".
func (k Key) Path() string {
	_, module, _ := strings.Cut(k.Token, ":")
	service, _, _ := strings.Cut(module, "/")
	name := k.Token[strings.LastIndex(k.Token, ":")+1:]
	return filepath.Join(k.Scope, service+"."+name, url.PathEscape(k.ID)+".json")
}

// Store has an account's records in files and rereads only those that other processes have changed: every change is
// first written to a journal, one path per line, and new lines are the files to read.
type Store struct {
	Dir string
	// seen is the journal's offset up to which the records in memory are current; -1 before the first read.
	seen    int64
	Records map[Group]map[string]*Entry
}

// Group groups records.
type Group struct{ Scope, Token string }

func (s *Store) journal() string { return filepath.Join(s.Dir, "journal") }

// refresh updates the records in memory. The caller has locked the account.
func (s *Store) refresh() error {
	f, err := os.OpenFile(s.journal(), os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	switch {
	case size == s.seen:
		return nil
	case s.seen < 0 || size < s.seen:
		err = s.readAll()
	default:
		tail := make([]byte, size-s.seen)
		if _, err = f.ReadAt(tail, s.seen); err == nil {
			err = s.readThese(strings.Fields(string(tail)))
		}
	}
	if err == nil {
		s.seen = size
	}
	return err
}

func (s *Store) readAll() error {
	s.Records = map[Group]map[string]*Entry{}
	paths, err := filepath.Glob(filepath.Join(s.Dir, "*", "*", "*.json"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		rec, err := ReadRecord(path)
		if err != nil {
			return err
		}
		s.keep(rec)
	}
	return nil
}

func (s *Store) readThese(paths []string) error {
	for _, path := range paths {
		rec, err := ReadRecord(filepath.Join(s.Dir, path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.forget(path)
		case err != nil:
			return err
		default:
			s.keep(rec)
		}
	}
	return nil
}

// ReadRecord reads a record's file.
func ReadRecord(path string) (*Entry, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rec := &Entry{}
	if err := json.Unmarshal(text, rec); err != nil {
		return nil, fmt.Errorf("reading %s: %w; delete the file to forget the resource", path, err)
	}
	return rec, nil
}

func (s *Store) keep(rec *Entry) {
	key := Group{rec.Scope, rec.Type}
	if s.Records[key] == nil {
		s.Records[key] = map[string]*Entry{}
	}
	s.Records[key][rec.ID] = rec
}

func (s *Store) forget(path string) {
	for _, group := range s.Records {
		for id, rec := range group {
			if rec.key().Path() == path {
				delete(group, id)
			}
		}
	}
}

// write makes changes durable: the journal first, so that no other process misses a change, then the files.
func (s *Store) write(changes []change) (err error) {
	if len(changes) == 0 {
		return nil
	}
	// After an error, everything is reread from the files.
	defer func() {
		if err != nil {
			s.seen = -1
		}
	}()
	lines := make([]string, len(changes))
	for i, c := range changes {
		lines[i] = c.rec.key().Path() + "\n"
	}
	if err := s.note(strings.Join(lines, "")); err != nil {
		return err
	}
	for _, c := range changes {
		path := filepath.Join(s.Dir, c.rec.key().Path())
		if c.gone {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			delete(s.Records[Group{c.rec.Scope, c.rec.Type}], c.rec.ID)
			continue
		}
		if err := WriteJSON(path, c.rec); err != nil {
			return err
		}
		s.keep(c.rec)
	}
	return nil
}

func (s *Store) note(lines string) error {
	f, err := os.OpenFile(s.journal(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(lines); err != nil {
		_ = f.Close()
		return err
	}
	s.seen += int64(len(lines))
	return f.Close()
}

// List returns the records of a type in a scope, by ID.
func (s *Store) List(scope, token string) []*Entry {
	group := s.Records[Group{scope, token}]
	recs := make([]*Entry, 0, len(group))
	for _, id := range slices.Sorted(maps.Keys(group)) {
		recs = append(recs, group[id])
	}
	return recs
}

// WriteJSON replaces a file atomically, so that a reader never sees a partial one.
func WriteJSON(path string, v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	if err := MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	return atomicfile.WriteVolatile(path, text.Bytes())
}

// MakeDir creates a folder that only the user can read, and its parents.
func MakeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("creating the offline account's folder: %w", err)
	}
	return nil
}

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

// Transact runs act on the current records while no other process can change them, and stores the changes unless act
// fails.
func (f *Folder) Transact(act func(*Tx) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	unlock, err := atomicfile.LockOpen(f.lock)
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

// Tx is a view of an account, and changes to it. All changes are stored when it ends without an error, otherwise none.
type Tx struct {
	Store   *Store
	Changes []change
}

// change is a record that is stored or deleted.
type change struct {
	rec  *Entry
	gone bool
}

// Commit stores the changes so far.
func (t *Tx) Commit() error {
	changes := t.Changes
	t.Changes = nil
	return t.Store.write(changes)
}

// Put stores a record when the transaction ends.
func (t *Tx) Put(rec *Entry) { t.Changes = append(t.Changes, change{rec: rec}) }

// Delete deletes a record when the transaction ends.
func (t *Tx) Delete(rec *Entry) { t.Changes = append(t.Changes, change{rec: rec, gone: true}) }

// Get returns the record with that key, or nil if there is none. It sees changes of this transaction.
func (t *Tx) Get(k Key) *Entry {
	for i := len(t.Changes) - 1; i >= 0; i-- {
		if c := t.Changes[i]; c.rec.key() == k {
			if c.gone {
				return nil
			}
			return c.rec
		}
	}
	return t.Store.Records[Group{k.Scope, k.Token}][k.ID]
}

// List returns the records of a type in a scope. Records deleted in this transaction are left out; records added in it
// are not included yet.
func (t *Tx) List(scope, token string) []*Entry {
	var recs []*Entry
	for _, rec := range t.Store.List(scope, token) {
		if now := t.Get(rec.key()); now != nil {
			recs = append(recs, now)
		}
	}
	return recs
}

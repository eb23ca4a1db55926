package offline

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
	"time"
)

// globalScope is where the resources of services without regions are kept.
const globalScope = "global"

// origin is who made a resource.
type origin string

const (
	byStack origin = "stack" // a stack made it
	bySeed  origin = "seed"  // it was there when the account began
	byAWS   origin = "aws"   // AWS made it along with another
	// byOperator is what HyperShift's operators made for a hosted cluster.
	byOperator origin = "operator"
)

// record is a resource as the account keeps it, one file each.
type record struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Scope  string `json:"scope"`
	Origin origin `json:"origin"`
	// Born is when a Kubernetes object was made, to more than the second that its own timestamp tells.
	Born  time.Time `json:"born,omitzero"`
	State props     `json:"state"`
}

func (r *record) clone() *record {
	c := *r
	c.State = r.State.clone()
	return &c
}

// key names a record.
type key struct{ scope, token, id string }

func (r *record) key() key { return key{r.Scope, r.Type, r.ID} }

// path is the record's file under the account's folder: "us-east-1/ec2.Subnet/subnet-0a1b….json".
func (k key) path() string {
	_, module, _ := strings.Cut(k.token, ":")
	service, _, _ := strings.Cut(module, "/")
	name := k.token[strings.LastIndex(k.token, ":")+1:]
	return filepath.Join(k.scope, service+"."+name, url.PathEscape(k.id)+".json")
}

// store keeps an account's records in files and reads again only what others have changed: every change is first
// written into a journal, a path a line, whose new lines say what to read.
type store struct {
	dir string
	// seen is how much of the journal the records in memory account for; -1 before the first reading.
	seen    int64
	records map[kindOf]map[string]*record
}

// kindOf groups records.
type kindOf struct{ scope, token string }

func newStore(dir string) *store { return &store{dir: dir, seen: -1} }

func (s *store) journal() string { return filepath.Join(s.dir, "journal") }

// refresh brings the records in memory up to date. The caller holds the account's lock.
func (s *store) refresh() error {
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

func (s *store) readAll() error {
	s.records = map[kindOf]map[string]*record{}
	paths, err := filepath.Glob(filepath.Join(s.dir, "*", "*", "*.json"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		rec, err := readRecord(path)
		if err != nil {
			return err
		}
		s.keep(rec)
	}
	return nil
}

func (s *store) readThese(paths []string) error {
	for _, path := range paths {
		rec, err := readRecord(filepath.Join(s.dir, path))
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

func readRecord(path string) (*record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rec := &record{}
	if err := json.Unmarshal(text, rec); err != nil {
		return nil, fmt.Errorf("reading %s: %w; delete the file to forget the resource", path, err)
	}
	return rec, nil
}

func (s *store) keep(rec *record) {
	of := kindOf{rec.Scope, rec.Type}
	if s.records[of] == nil {
		s.records[of] = map[string]*record{}
	}
	s.records[of][rec.ID] = rec
}

func (s *store) forget(path string) {
	for _, group := range s.records {
		for id, rec := range group {
			if rec.key().path() == path {
				delete(group, id)
			}
		}
	}
}

// write makes changes last: the journal first, so that no other process misses one, then file by file.
func (s *store) write(changes []change) (err error) {
	if len(changes) == 0 {
		return nil
	}
	// Whatever fails halfway is read again from the files.
	defer func() {
		if err != nil {
			s.seen = -1
		}
	}()
	lines := make([]string, len(changes))
	for i, c := range changes {
		lines[i] = c.rec.key().path() + "\n"
	}
	if err := s.note(strings.Join(lines, "")); err != nil {
		return err
	}
	for _, c := range changes {
		path := filepath.Join(s.dir, c.rec.key().path())
		if c.gone {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			delete(s.records[kindOf{c.rec.Scope, c.rec.Type}], c.rec.ID)
			continue
		}
		if err := writeJSON(path, c.rec); err != nil {
			return err
		}
		s.keep(c.rec)
	}
	return nil
}

func (s *store) note(lines string) error {
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

// group are the records of a type in a scope, by ID.
func (s *store) group(scope, token string) []*record {
	group := s.records[kindOf{scope, token}]
	recs := make([]*record, 0, len(group))
	for _, id := range slices.Sorted(maps.Keys(group)) {
		recs = append(recs, group[id])
	}
	return recs
}

// writeJSON replaces the file whole, so that a reader never sees half of it.
func writeJSON(path string, v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	if err := makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	if _, err := temp.Write(text.Bytes()); err != nil {
		_ = temp.Close()
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the offline account's folder: %w", err)
	}
	return nil
}

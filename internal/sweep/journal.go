package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// Journal is a file that records what the sweeps of a cluster did in one account and region, one JSON object per line. After a killed
// sweep, the next one finds the tagged resources again; the journal adds what AWS no longer returns: the age of the cluster, and the hosts
// of its deleted load balancers.
type Journal struct{ path string }

// Event is the event of a line of the journal.
type Event string

// The events.
const (
	EventSeen     Event = "seen"     // it existed while the cluster did, and DNS records may point at it
	EventBegun    Event = "begun"    // a sweep begins; Youngest is that of the cluster
	EventDeleting Event = "deleting" // written before the call to AWS
	EventDeleted  Event = "deleted"
	EventGone     Event = "gone" // it no longer existed
	EventHeld     Event = "held" // it has changed since the plan, and a gate refuses it
	EventFailed   Event = "failed"
)

// Entry is a line of the journal.
type Entry struct {
	Time     time.Time `json:"time"`
	Event    Event     `json:"event"`
	Type     string    `json:"type,omitempty"`
	ID       string    `json:"id,omitempty"`
	Name     string    `json:"name,omitempty"`
	Hosts    []string  `json:"hosts,omitempty"`
	Youngest time.Time `json:"youngest,omitzero"`
	Why      string    `json:"why,omitempty"`
}

// NewJournal returns the journal of a cluster in an account and region, in a folder.
func NewJournal(dir string, place orphan.Place, infraID string) Journal {
	return Journal{filepath.Join(dir, fmt.Sprintf("%s-%s-%s.jsonl", place.Account, place.Region, infraID))}
}

// Path returns the journal's file.
func (j Journal) Path() string { return j.path }

// Note adds a line, in one write.
func (j Journal) Note(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("writing the journal of a sweep: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return fmt.Errorf("writing the journal of a sweep: %w", err)
	}
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing the journal of a sweep: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing the journal of a sweep to %s: %w", j.path, err)
	}
	return nil
}

// Before returns what earlier sweeps have recorded. An incomplete line is skipped.
func (j Journal) Before() (Before, error) {
	var before Before
	text, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return before, nil
	}
	if err != nil {
		return before, fmt.Errorf("reading the journal of a sweep: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var e Entry
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		if e.Event == EventBegun && e.Youngest.After(before.Youngest) {
			before.Youngest = e.Youngest
		}
		if e.Event == EventDeleting || e.Event == EventSeen {
			before.Hosts = append(before.Hosts, e.Hosts...)
		}
	}
	return before, nil
}

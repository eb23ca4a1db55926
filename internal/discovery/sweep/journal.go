package sweep

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/jsonl"
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
	// Seen is what shows that the cluster was in a management cluster.
	Seen string `json:"seen,omitempty"`
	// Consent is true if the user consented to a sweep of a cluster that is not known to be gone; By is the user, and Version this program's.
	Consent bool   `json:"consent,omitempty"`
	By      string `json:"by,omitempty"`
	Version string `json:"version,omitempty"`
}

// NewJournal returns the journal of a cluster in an account and region, in a folder. What is no infra ID, such as the text of a tag, is no part of
// a path: its journal is empty, and cannot be written.
func NewJournal(dir string, place account.Place, infraID string) Journal {
	if !hypershift.IsInfraID(infraID) {
		return Journal{}
	}
	return Journal{filepath.Join(dir, fmt.Sprintf("%s-%s-%s.jsonl", place.Account, place.Region, infraID))}
}

// Path returns the journal's file.
func (j Journal) Path() string { return j.path }

// Note adds a line.
func (j Journal) Note(e Entry) error {
	if j.path == "" {
		return errors.New("a sweep of what is no infra ID has no journal")
	}
	if err := jsonl.Append(j.path, e); err != nil {
		return fmt.Errorf("writing the journal of a sweep: %w", err)
	}
	return nil
}

// Before returns what earlier sweeps have recorded. An incomplete line is skipped.
func (j Journal) Before() (Before, error) {
	var before Before
	if j.path == "" {
		return before, nil
	}
	entries, err := jsonl.Read[Entry](j.path)
	if err != nil {
		return before, fmt.Errorf("reading the journal of a sweep: %w", err)
	}
	for _, e := range entries {
		if e.Event == EventBegun && e.Youngest.After(before.Youngest) {
			before.Youngest = e.Youngest
		}
		if e.Seen != "" {
			before.Seen = e.Seen
			before.Deleted = before.Deleted || e.Event == EventSeen
		}
		if e.Event == EventDeleting || e.Event == EventSeen {
			before.Hosts = append(before.Hosts, e.Hosts...)
		}
	}
	return before, nil
}

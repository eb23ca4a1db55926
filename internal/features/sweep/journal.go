package sweep

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Journal is a file that records what the sweeps of a cluster did in one account and region, one JSON object per line.
// After a killed sweep, the next one finds the tagged resources again; the journal adds what AWS no longer returns: the
// age of the cluster, and the hosts of its deleted load balancers.
type Journal struct{ path string }

// NewJournal returns the journal of a cluster in an account and region, in a folder. A string that isn't an infra ID,
// such as the text of a tag, never becomes part of a path: its journal is empty, and cannot be written.
func NewJournal(dir string, place inventory.Place, infraID string) Journal {
	if !hypershift.IsInfraID(infraID) {
		return Journal{}
	}
	return Journal{filepath.Join(dir, fmt.Sprintf("%s-%s-%s.jsonl", place.Account, place.Region, infraID))}
}

// Path returns the journal's file.
func (j Journal) Path() string { return j.path }

// Note adds a line.
func (j Journal) Note(e inventory.SweepEntry) error {
	if j.path == "" {
		return errors.New("a sweep without a valid infra ID has no journal")
	}
	if err := atomicfile.AppendLine(j.path, e); err != nil {
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
	entries, err := atomicfile.Lines[inventory.SweepEntry](j.path)
	if err != nil {
		return before, fmt.Errorf("reading the journal of a sweep: %w", err)
	}
	for _, e := range entries {
		if e.Event == inventory.EventBegun && e.Youngest.After(before.Youngest) {
			before.Youngest = e.Youngest
		}
		if e.Seen != "" {
			before.Seen = e.Seen
		}
		if e.Launched != nil {
			before.Deleted = e.Launched
		}
		if e.Event == inventory.EventDeleting || e.Event == inventory.EventSeen {
			before.Hosts = append(before.Hosts, e.Hosts...)
		}
	}
	return before, nil
}

package recovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// searchedFor is how long a creation that was not found in AWS is searched for. AWS's lists of tags and IAM's reads are
// eventually consistent: they show a new resource after seconds, rarely after minutes.
const searchedFor = time.Hour

// PendingCreation is a creation that an earlier run began and whose outcome is not known.
type PendingCreation struct {
	// Resource is the resource to be created, as the run began it: without an ID, and with a reference to its provider,
	// not its settings.
	Resource *state.Resource `json:"resource"`
	// Since is the time of the first search, zero before it.
	Since time.Time `json:"since"`
	// Begin is what the run knew when it began, with the type's IDs only; nil if it is not known.
	Begin *Begin `json:"begin,omitempty"`
	// Replaces is the ID of the resource that it replaces, "" for a first one.
	Replaces string `json:"replaces,omitempty"`
	// Foreign are the IDs that turned out to be others' resources.
	Foreign []string `json:"foreign,omitempty"`
}

// existed reports whether AWS had the ID before the run began.
func (c PendingCreation) existed(id string) bool {
	return c.Begin != nil && slices.Contains(c.Begin.Existing[string(c.Resource.Type)], id)
}

// listed reports whether the run listed what AWS had before it began.
func (c PendingCreation) listed() bool {
	if c.Begin == nil {
		return false
	}
	_, listed := c.Begin.Existing[string(c.Resource.Type)]
	return listed
}

// pendingPath returns the file of the journal's pending creations, one JSON object per line.
func (j Journal) pendingPath() string { return filepath.Join(filepath.Dir(j.path), "not-found.jsonl") }

// pendingCreations returns the creations that are searched for.
func (j Journal) pendingCreations() ([]PendingCreation, error) {
	if j.path == "" {
		return nil, nil
	}
	text, err := atomicfile.ReadRegular(j.pendingPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal of creations to search for: %w", err)
	}
	var list []PendingCreation
	decoder := json.NewDecoder(bytes.NewReader(text))
	for decoder.More() {
		var c PendingCreation
		if err := decoder.Decode(&c); err != nil {
			return nil, fmt.Errorf("reading the journal of creations to search for in %s: %w", j.pendingPath(), err)
		}
		if c.Resource != nil {
			list = append(list, c)
		}
	}
	return list, nil
}

// search stores the list of creations to search for.
func (j Journal) search(list []PendingCreation) error {
	if j.path == "" {
		return nil
	}
	if len(list) == 0 {
		return atomicfile.Remove(j.pendingPath())
	}
	var text []byte
	for _, c := range list {
		line, err := json.Marshal(c)
		if err != nil {
			return fmt.Errorf("writing the journal of creations to search for: %w", err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := atomicfile.WritePrivate(j.pendingPath(), text); err != nil {
		return fmt.Errorf("writing the journal of creations to search for: %w", err)
	}
	return nil
}

// Forget deletes the journal and the list of pending creations.
func (j Journal) Forget() error { return errors.Join(j.search(nil), j.Clear()) }

// Searching reports whether creations are searched for that recoveries have not found.
func (j Journal) Searching() (bool, error) {
	list, err := j.pendingCreations()
	return len(list) > 0, err
}

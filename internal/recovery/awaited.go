package recovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// Awaited is how long a creation that was not found in AWS is searched for. AWS's lists of tags and IAM's reads are eventually consistent:
// they show a new resource after seconds, rarely after minutes.
const Awaited = time.Hour

// awaited is a creation that an earlier run began and that was not found in AWS yet.
type awaited struct {
	// Resource is the resource to be created, Provider its provider in the state at that time.
	Resource *state.Resource `json:"resource"`
	Provider *state.Resource `json:"provider,omitempty"`
	// Since is the time of the first search.
	Since time.Time `json:"since"`
}

// awaitedPath returns the file of the journal's awaited creations, one JSON object per line.
func (j Journal) awaitedPath() string { return filepath.Join(filepath.Dir(j.path), "not-found.jsonl") }

// awaited returns the creations that are searched for.
func (j Journal) awaited() ([]awaited, error) {
	if j.path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(j.awaitedPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal of creations to search for: %w", err)
	}
	var list []awaited
	decoder := json.NewDecoder(bytes.NewReader(text))
	for decoder.More() {
		var a awaited
		if err := decoder.Decode(&a); err != nil {
			return nil, fmt.Errorf("reading the journal of creations to search for in %s: %w", j.awaitedPath(), err)
		}
		if a.Resource != nil {
			list = append(list, a)
		}
	}
	return list, nil
}

// await stores the list of creations to search for.
func (j Journal) await(list []awaited) error {
	if j.path == "" {
		return nil
	}
	if len(list) == 0 {
		if err := os.Remove(j.awaitedPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing the journal of creations to search for: %w", err)
		}
		return nil
	}
	var text []byte
	for _, a := range list {
		line, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("writing the journal of creations to search for: %w", err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := atomicfile.Write(j.awaitedPath(), text); err != nil {
		return fmt.Errorf("writing the journal of creations to search for: %w", err)
	}
	return nil
}

// Forget clears the journal, including the creations to search for.
func (j Journal) Forget() error { return errors.Join(j.await(nil), j.Clear()) }

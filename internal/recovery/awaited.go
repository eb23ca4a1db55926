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

// Awaited is how long a creation of which AWS showed nothing is looked for again. AWS's lists of tags and IAM's reads are eventually
// consistent: they show a new resource after seconds, rarely after minutes.
const Awaited = time.Hour

// awaited is a creation that an earlier run began and of which AWS has shown nothing yet.
type awaited struct {
	// Resource is what was to be created, Provider its provider as the state had it.
	Resource *state.Resource `json:"resource"`
	Provider *state.Resource `json:"provider,omitempty"`
	// Since is when it was first looked for.
	Since time.Time `json:"since"`
}

// awaitedPath is the file of the journal's awaited creations, one JSON object per line.
func (j Journal) awaitedPath() string { return filepath.Join(filepath.Dir(j.path), "not-found.jsonl") }

// awaited are the creations that are still looked for.
func (j Journal) awaited() ([]awaited, error) {
	if j.path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(j.awaitedPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal of creations to look for: %w", err)
	}
	var list []awaited
	decoder := json.NewDecoder(bytes.NewReader(text))
	for decoder.More() {
		var a awaited
		if err := decoder.Decode(&a); err != nil {
			return nil, fmt.Errorf("reading the journal of creations to look for in %s: %w", j.awaitedPath(), err)
		}
		if a.Resource != nil {
			list = append(list, a)
		}
	}
	return list, nil
}

// await makes the list that of the creations to look for.
func (j Journal) await(list []awaited) error {
	if j.path == "" {
		return nil
	}
	if len(list) == 0 {
		if err := os.Remove(j.awaitedPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing the journal of creations to look for: %w", err)
		}
		return nil
	}
	var text []byte
	for _, a := range list {
		line, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("writing the journal of creations to look for: %w", err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := atomicfile.Write(j.awaitedPath(), text); err != nil {
		return fmt.Errorf("writing the journal of creations to look for: %w", err)
	}
	return nil
}

// Forget has nothing looked for any more.
func (j Journal) Forget() error { return errors.Join(j.await(nil), j.Clear()) }

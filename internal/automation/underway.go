package automation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// underWay is a file, none for "", that lists, an object a line, what the engine has begun on a stack's resources and how it ended.
//
// The engine's state lists what was under way when the engine died. It forgets what was under way when a provider
// died: it takes the broken connection for a failure, and what was made meanwhile is nobody's. This file remembers.
type underWay struct{ path string }

// doubt is an operation that may have been carried out or not.
type doubt struct {
	// Op is the engine's: "create", "create-replacement", "update", "delete", "delete-replaced".
	Op  apitype.OpType `json:"op"`
	URN string         `json:"urn"`
	// State is the resource as it was to be made and, once that has ended well, as it is; only of creations.
	State *apitype.StepEventStateMetadata `json:"state,omitempty"`
	// Ended is set on the line that says so.
	Ended bool `json:"ended,omitempty"`
	// made is the resource as it is, where a creation has ended and is in doubt all the same.
	made *apitype.StepEventStateMetadata
}

// opRestored is a line that says that the state was put back to what it was before all others.
const opRestored apitype.OpType = "restored"

func (d doubt) key() string { return string(d.Op) + " " + d.URN }

func (d doubt) creates() bool {
	return d.Op == apitype.OpCreate || d.Op == apitype.OpCreateReplacement
}

func (s *Stack) underWay() underWay { return underWay{filepath.Join(s.workDir, "under-way.jsonl")} }

// began notes that an operation on a resource has begun, ended that it was answered: the provider said yes or no; then
// m.New is the resource as it is.
func (u underWay) began(m apitype.StepEventMetadata) error {
	switch m.Op { //nolint:exhaustive // the others change nothing in AWS
	case apitype.OpCreate, apitype.OpCreateReplacement:
		return u.note(doubt{Op: m.Op, URN: m.URN, State: m.New})
	case apitype.OpUpdate, apitype.OpDelete, apitype.OpDeleteReplaced:
		return u.note(doubt{Op: m.Op, URN: m.URN})
	}
	return nil
}

func (u underWay) ended(m apitype.StepEventMetadata) error {
	switch m.Op { //nolint:exhaustive // those that began notes
	case apitype.OpCreate, apitype.OpCreateReplacement:
		return u.note(doubt{Op: m.Op, URN: m.URN, Ended: true, State: m.New})
	case apitype.OpUpdate, apitype.OpDelete, apitype.OpDeleteReplaced:
		return u.note(doubt{Op: m.Op, URN: m.URN, Ended: true})
	}
	return nil
}

// answered is whether a failed operation failed by the provider's own word. A call that was cut off has not the status
// that the engine gives to a provider's errors.
func answered(status int) bool { return resource.Status(status) != resource.StatusOK }

func (u underWay) note(d doubt) error {
	if u.path == "" {
		return nil
	}
	line, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("noting what is under way: %w", err)
	}
	f, err := os.OpenFile(u.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("noting what is under way: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// restored notes that the state says nothing of what was noted so far.
func (u underWay) restored() error { return u.note(doubt{Op: opRestored}) }

// doubts are the operations that have begun and not ended, and those that have ended where the state knows nothing of
// them.
func (u underWay) doubts() ([]doubt, error) {
	text, err := os.ReadFile(u.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was under way: %w", err)
	}
	var order []string
	open, closed, restored := map[string]doubt{}, map[string]doubt{}, false
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var d doubt
		if json.Unmarshal(lines.Bytes(), &d) != nil {
			continue // a line that this program died on
		}
		if d.Op == opRestored {
			restored = true
			continue
		}
		if d.Ended {
			begun := open[d.key()]
			begun.made = d.State
			closed[d.key()] = begun
			delete(open, d.key())
			continue
		}
		order = append(order, d.key())
		open[d.key()] = d
	}
	var doubts []doubt
	for _, key := range order {
		d, ok := open[key]
		if !ok && restored {
			d, ok = closed[key]
		}
		if ok && !slices.ContainsFunc(doubts, func(other doubt) bool { return other.key() == key }) {
			doubts = append(doubts, d)
		}
	}
	return doubts, nil
}

// clear forgets everything.
func (u underWay) clear() error {
	if err := os.Remove(u.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clearing what was under way: %w", err)
	}
	return nil
}

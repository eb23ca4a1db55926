package recovery

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

	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// Journal is a file that records the operations on a stack's resources that the engine has begun and ended, one JSON object per line. An
// empty path means no journal.
//
// The engine's state lists the operations that were pending when the engine was killed. It does not list those that were pending when a
// provider was killed: the engine treats the broken connection as a failure, and a resource that AWS created in the meantime is in no
// state. The journal lists these operations.
type Journal struct{ path string }

// entry is an operation that may or may not have been carried out.
type entry struct {
	// Op is the engine's operation: "create", "create-replacement", "update", "delete", "delete-replaced".
	Op  apitype.OpType `json:"op"`
	URN string         `json:"urn"`
	// State is the resource to be created and, after success, as created; only for creations.
	State *apitype.StepEventStateMetadata `json:"state,omitempty"`
	// Ended marks the line that ends the operation.
	Ended bool `json:"ended,omitempty"`
	// made is the created resource, if a creation has ended but must be settled nevertheless.
	made *apitype.StepEventStateMetadata
}

// opRestored marks a line that records that the state was restored to that before all earlier lines.
const opRestored apitype.OpType = "restored"

func (d entry) key() string { return string(d.Op) + " " + d.URN }

func (d entry) creates() bool {
	return d.Op == apitype.OpCreate || d.Op == apitype.OpCreateReplacement
}

// NewJournal returns the journal of the stack whose engine runs in a folder.
func NewJournal(workDir string) Journal { return Journal{filepath.Join(workDir, "under-way.jsonl")} }

// Began records the start of an operation on a resource. Ended records the provider's answer; m.New is then the created resource.
func (j Journal) Began(m apitype.StepEventMetadata) error {
	switch m.Op { //nolint:exhaustive // the others change nothing in AWS
	case apitype.OpCreate, apitype.OpCreateReplacement:
		return j.note(entry{Op: m.Op, URN: m.URN, State: m.New})
	case apitype.OpUpdate, apitype.OpDelete, apitype.OpDeleteReplaced:
		return j.note(entry{Op: m.Op, URN: m.URN})
	}
	return nil
}

// Ended removes an operation from the journal.
func (j Journal) Ended(m apitype.StepEventMetadata) error {
	switch m.Op { //nolint:exhaustive // those that began notes
	case apitype.OpCreate, apitype.OpCreateReplacement:
		return j.note(entry{Op: m.Op, URN: m.URN, Ended: true, State: m.New})
	case apitype.OpUpdate, apitype.OpDelete, apitype.OpDeleteReplaced:
		return j.note(entry{Op: m.Op, URN: m.URN, Ended: true})
	}
	return nil
}

// pending records an operation that was pending in a state. It replaces a resource if the state has one with its URN.
func (j Journal) pending(p state.Pending, replaces bool) error {
	res := p.Resource
	switch {
	case p.Type != apitype.OperationTypeCreating:
		return j.note(entry{Op: apitype.OpUpdate, URN: string(res.URN)})
	case !res.Custom:
		return nil
	}
	d := entry{Op: apitype.OpCreate, URN: string(res.URN), State: &apitype.StepEventStateMetadata{
		URN: string(res.URN), Type: string(res.Type), Custom: true, Inputs: res.Inputs, Parent: string(res.Parent), Protect: res.Protect,
		RetainOnDelete: res.RetainOnDelete, Provider: res.Provider,
	}}
	if replaces {
		d.Op = apitype.OpCreateReplacement
	}
	return j.note(d)
}

// Answered reports whether a failed operation failed by the provider's answer. An operation whose connection broke does not have the status
// that the engine sets for a provider's errors.
func Answered(status int) bool { return resource.Status(status) != resource.StatusOK }

func (j Journal) note(d entry) error {
	if j.path == "" {
		return nil
	}
	line, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("writing the journal of operations: %w", err)
	}
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing the journal of operations: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// restored records that the state contains nothing of the earlier operations.
func (j Journal) restored() error { return j.note(entry{Op: opRestored}) }

// unfinished returns the operations that have begun and not ended, and those that ended before the state was restored.
func (j Journal) unfinished() ([]entry, error) {
	text, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal of operations: %w", err)
	}
	var order []string
	open, closed, restored := map[string]entry{}, map[string]entry{}, false
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var d entry
		if json.Unmarshal(lines.Bytes(), &d) != nil {
			continue // a line that was cut off when this program was killed
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
	var entries []entry
	for _, key := range order {
		d, ok := open[key]
		if !ok && restored {
			d, ok = closed[key]
		}
		if ok && !slices.ContainsFunc(entries, func(other entry) bool { return other.key() == key }) {
			entries = append(entries, d)
		}
	}
	return entries, nil
}

// Clear deletes the journal.
func (j Journal) Clear() error {
	if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the journal of operations: %w", err)
	}
	return nil
}

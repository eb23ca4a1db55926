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

// Journal is a file, none for "", of the operations on a stack's resources that the engine has begun and ended, one JSON
// object per line.
//
// The engine's state lists the operations that were pending when the engine was killed. It does not list those that were
// pending when a provider was killed: the engine takes the broken connection for a failure, and a resource that AWS
// created meanwhile is in no state. The journal lists them.
type Journal struct{ path string }

// entry is an operation that may have been carried out or not.
type entry struct {
	// Op is the engine's: "create", "create-replacement", "update", "delete", "delete-replaced".
	Op  apitype.OpType `json:"op"`
	URN string         `json:"urn"`
	// State is the resource as it was to be made and, once that has ended well, as it is; only of creations.
	State *apitype.StepEventStateMetadata `json:"state,omitempty"`
	// Ended is set on the line that says so.
	Ended bool `json:"ended,omitempty"`
	// made is the resource as it is, where a creation has ended and is in entry all the same.
	made *apitype.StepEventStateMetadata
}

// opRestored is a line that says that the state was put back to what it was before all others.
const opRestored apitype.OpType = "restored"

func (d entry) key() string { return string(d.Op) + " " + d.URN }

func (d entry) creates() bool {
	return d.Op == apitype.OpCreate || d.Op == apitype.OpCreateReplacement
}

// NewJournal is the journal of the stack whose engine runs in a folder.
func NewJournal(workDir string) Journal { return Journal{filepath.Join(workDir, "under-way.jsonl")} }

// Began notes that an operation on a resource has begun, ended that the provider has answered; m.New is then the resource
// as it is.
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

// pending notes an operation that was pending in a state. It replaces a resource where the state has one of its URN.
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

// Answered is whether a failed operation failed by the provider's answer. A call that was cut off does not have the status
// that the engine gives to a provider's errors.
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

// restored notes that the state says nothing of what was noted so far.
func (j Journal) restored() error { return j.note(entry{Op: opRestored}) }

// unfinished are the operations that have begun and not ended, and those that have ended after the state was put back.
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

// Clear forgets everything.
func (j Journal) Clear() error {
	if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the journal of operations: %w", err)
	}
	return nil
}

package recovery

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Journal is a file that records the operations on a stack's resources that the engine has begun and ended, one JSON
// object per line. An empty path means no journal.
//
// The engine's state lists the operations that were pending when the engine was killed. It does not list those that
// were pending when a provider was killed: the engine treats the broken connection as a failure, and a resource that
// AWS created in the meantime is in no state. The journal lists these operations.
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
	// Begin is what the run knew, on the line that begins it.
	Begin *Begin `json:"begin,omitempty"`
	// begin is what the operation's run knew when it began.
	begin *Begin
	// made is the created resource, if a creation has ended but must be settled nevertheless.
	made *apitype.StepEventStateMetadata
}

// Begin is what a run knew when it began.
type Begin struct {
	// At is the time.
	At time.Time `json:"at"`
	// State is when the state was written with which the run began; zero for a new stack.
	State time.Time `json:"state"`
	// Existing are the IDs, by type, that AWS had with the tags of what the run creates. Types that were not listed have
	// none.
	Existing map[string][]string `json:"existing,omitempty"`
}

const (
	// opBegan marks the line that begins a run.
	opBegan apitype.OpType = "began"
	// opCancelled marks a line after which the state's pending operations belong to no run: the user has said so.
	opCancelled apitype.OpType = "cancelled"
)

// opRestored marks a line that records that the state was restored to that before all earlier lines.
const opRestored apitype.OpType = "restored"

func (d entry) key() string { return string(d.Op) + " " + d.URN }

func (d entry) creates() bool {
	return d.Op == apitype.OpCreate || d.Op == apitype.OpCreateReplacement
}

// NewJournal returns the journal of the stack whose engine runs in a folder.
func NewJournal(workDir string) Journal { return Journal{filepath.Join(workDir, "under-way.jsonl")} }

// Began records the start of an operation on a resource.
func (j Journal) Began(m apitype.StepEventMetadata) error { return j.step(m, false) }

// Ended records the provider's answer, which removes the operation from the journal; m.New is then the created
// resource.
func (j Journal) Ended(m apitype.StepEventMetadata) error { return j.step(m, true) }

func (j Journal) step(m apitype.StepEventMetadata, ended bool) error {
	switch m.Op { //nolint:exhaustive // the others change nothing in AWS
	case apitype.OpCreate, apitype.OpCreateReplacement:
		return j.note(entry{Op: m.Op, URN: m.URN, Ended: ended, State: m.New})
	case apitype.OpUpdate, apitype.OpDelete, apitype.OpDeleteReplaced:
		return j.note(entry{Op: m.Op, URN: m.URN, Ended: ended})
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
		URN: string(res.URN), Type: string(res.Type), Custom: true, Inputs: res.Inputs, Parent: string(res.Parent),
		Protect:        res.Protect,
		RetainOnDelete: res.RetainOnDelete, Provider: res.Provider,
	}}
	if replaces {
		d.Op = apitype.OpCreateReplacement
	}
	return j.note(d)
}

// Keep records the pending operations of a state that is about to be imported, which drops them.
func (j Journal) Keep(d *state.Deployment) error {
	for _, p := range d.Pending {
		if err := j.pending(p, d.Live(string(p.Resource.URN)) != nil); err != nil {
			return err
		}
	}
	return nil
}

// Begin records the beginning of a run.
func (j Journal) Begin(b Begin) error { return j.note(entry{Op: opBegan, Begin: &b}) }

// Cancelled records that the user has released the locks on the state that was written then.
func (j Journal) Cancelled(written time.Time) error {
	return j.note(entry{Op: opCancelled, Begin: &Begin{At: time.Now().UTC(), State: written}})
}

// Covers reports whether all pending operations of a state are this journal's, or were released by the user.
func (j Journal) Covers(d *state.Deployment) (bool, error) {
	run, err := j.unfinished()
	if err != nil {
		return false, err
	}
	foreign := slices.ContainsFunc(d.Pending, func(p state.Pending) bool { return !run.urns[string(p.Resource.URN)] })
	return !foreign || run.cancelled != nil && run.cancelled.Equal(d.Written()), nil
}

// Answered reports whether a failed operation failed by the provider's answer. An operation whose connection broke does
// not have the status that the engine sets for a provider's errors.
func Answered(status int) bool { return resource.Status(status) != resource.StatusOK }

func (j Journal) note(d entry) error {
	if j.path == "" {
		return nil
	}
	if err := atomicfile.AppendLine(j.path, d); err != nil {
		return fmt.Errorf("writing the journal of operations: %w", err)
	}
	return nil
}

// restored records that the state contains nothing of the earlier operations.
func (j Journal) restored() error { return j.note(entry{Op: opRestored}) }

// interrupted is what a journal has of interrupted runs.
type interrupted struct {
	// entries are the operations that have begun and not ended, and those that ended before the state was restored.
	entries []entry
	// urns are the resources of all operations, finished or not.
	urns map[string]bool
	// begins is what the run of an operation knew, by URN; last is that of the last operation, nil without operations;
	// begin is that of the last run, with operations or without.
	begins      map[string]*Begin
	last, begin *Begin
	// cancelled is when the state was written whose locks the user has released.
	cancelled *time.Time
}

// findBegin returns what the run of a resource's operation knew, that of the last run with operations for one that the
// journal does not have: the engine may have written it to the state only. A run without operations did not get the
// lock, and lists what the run that had it created.
func (i interrupted) findBegin(urn string) *Begin {
	if i.urns[urn] {
		return i.begins[urn]
	}
	return i.last
}

// unfinished reads the journal.
func (j Journal) unfinished() (interrupted, error) {
	run := interrupted{urns: map[string]bool{}, begins: map[string]*Begin{}}
	entries, err := atomicfile.Lines[entry](j.path)
	if err != nil {
		return run, fmt.Errorf("reading the journal of operations: %w", err)
	}
	var order []string
	open, closed, restored := map[string]entry{}, map[string]entry{}, false
	for _, d := range entries {
		switch {
		case d.Op == opRestored:
			restored = true
		case d.Op == opBegan:
			run.begin = d.Begin
		case d.Op == opCancelled && d.Begin != nil:
			run.cancelled = &d.Begin.State
		case d.Ended:
			begun := open[d.key()]
			begun.made = d.State
			closed[d.key()] = begun
			delete(open, d.key())
		default:
			order = append(order, d.key())
			d.begin = run.begin
			if before, unsettled := open[d.key()]; unsettled {
				d.begin = before.begin // what that run created is searched for too
			}
			run.urns[d.URN], run.begins[d.URN], run.last = true, d.begin, d.begin
			open[d.key()] = d
		}
	}
	for _, key := range order {
		d, ok := open[key]
		if !ok && restored {
			d, ok = closed[key]
		}
		if ok && !slices.ContainsFunc(run.entries, func(other entry) bool { return other.key() == key }) {
			run.entries = append(run.entries, d)
		}
	}
	return run, nil
}

// Open reports whether the journal has operations that began and did not end.
func (j Journal) Open() (bool, error) {
	run, err := j.unfinished()
	return len(run.entries) > 0, err
}

// Clear deletes the journal.
func (j Journal) Clear() error { return atomicfile.Remove(j.path) }

// Begun returns the URNs of creations that an earlier run began and that are in no state yet: Recover settles them.
func Begun(d *state.Deployment, j Journal) (map[string]bool, error) {
	noted, err := j.unfinished()
	if err != nil {
		return nil, err
	}
	begun := map[string]bool{}
	for _, pending := range d.Pending {
		begun[string(pending.Resource.URN)] = true
	}
	for _, n := range noted.entries {
		if n.creates() {
			begun[n.URN] = true
		}
	}
	return begun, nil
}

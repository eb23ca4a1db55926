package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Journal is the file of a run: its stacks, and the status of each. It begins with all stacks. Whenever a stack begins
// or ends, a line with its entry is added, so that a killed run can be resumed.
type Journal struct {
	path string
	lock *os.File
	Content
	// entries are those of Stacks, by folder and name.
	entries map[[2]string]*Entry
}

// Content is the content of a journal.
type Content struct {
	// Format is the version of this format.
	Format    int       `json:"format"`
	Operation string    `json:"operation"`
	Offline   bool      `json:"offline"`
	Began     time.Time `json:"began"`
	// Process is the ID of the process that runs, or ran, it.
	Process int     `json:"process"`
	Stacks  []Entry `json:"stacks"`
}

// Entry is a stack of a run.
type Entry struct {
	ID      string          `json:"id"`
	Dir     string          `json:"dir"`
	Stack   string          `json:"stack"`
	Digest  string          `json:"digest"`
	Wave    int             `json:"wave"`
	Status  fleetrun.Status `json:"status"`
	Problem string          `json:"problem,omitempty"`
	// Open is true if a further update continues a change: the stack is run again by a resumed run.
	Open    bool    `json:"open,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
}

// The formats of journals: withoutLines was replaced as a whole whenever a stack began or ended.
const withoutLines, journalFormat = 1, 2

// OpenJournal locks the journal in a folder for this process. It fails with failure.Conflict if another run has it.
func OpenJournal(dir string) (*Journal, error) {
	if err := atomicfile.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("creating the folder of the fleet's journal: %w", err)
	}
	lock, err := atomicfile.Lock(filepath.Join(dir, "lock"))
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil, &failure.Error{
			Reason: failure.Conflict, Problem: fmt.Sprintf("another fleet run is in progress in %s", dir),
			Remedy: "wait for it to end, or stop it with Ctrl-C",
		}
	}
	if err != nil {
		return nil, err
	}
	return &Journal{path: filepath.Join(dir, "journal.json"), lock: lock}, nil
}

// Close unlocks the journal.
func (j *Journal) Close() {
	if j.lock != nil {
		atomicfile.Unlock(j.lock)
	}
}

// Begin writes the journal of a new run.
func (j *Journal) Begin(operation string, offline bool, jobs []*fleetrun.Job) error {
	j.Content = Content{
		Operation: operation,
		Offline:   offline,
		Began:     time.Now().UTC(),
		Process:   os.Getpid(),
	}
	for _, job := range jobs {
		j.Stacks = append(j.Stacks, Entry{
			ID:     job.ID,
			Dir:    job.Dir,
			Stack:  job.Stack,
			Digest: job.Digest,
			Wave:   job.Wave,
			Status: fleetrun.Waiting,
		})
	}
	return j.write()
}

// Read reads the journal of the last run. It returns false if there is none.
func (j *Journal) Read() (bool, error) {
	text, err := atomicfile.ReadRegular(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the fleet's journal: %w", err)
	}
	j.Content = Content{}
	whole := json.NewDecoder(bytes.NewReader(text))
	if err := whole.Decode(&j.Content); err != nil || j.Format != withoutLines && j.Format != journalFormat {
		return false, &failure.Error{Reason: failure.Refused,
			Problem: fmt.Sprintf("%s is not a journal of format %d", j.path, journalFormat),
			Remedy:  "remove it, and run the command without --resume", Cause: err}
	}
	j.index()
	for line := range bytes.Lines(text[whole.InputOffset():]) {
		var noted Entry
		if json.Unmarshal(line, &noted) != nil {
			continue // the process was killed while it wrote
		}
		if entry := j.entries[[2]string{noted.Dir, noted.Stack}]; entry != nil {
			*entry = noted
		}
	}
	return true, nil
}

func (j *Journal) index() {
	j.entries = make(map[[2]string]*Entry, len(j.Stacks))
	for i := range j.Stacks {
		j.entries[[2]string{j.Stacks[i].Dir, j.Stacks[i].Stack}] = &j.Stacks[i]
	}
}

// Resume continues the last run in this process, with those of the members that were in it, and returns the ones to be
// run: all that have not succeeded, those with a change to continue, and those whose files have changed since, with
// what the journal had of them. A destroy is over once it has succeeded, whatever the file has become.
func (j *Journal) Resume(
	operation string,
	offline bool,
	members []fleetrun.Member,
) (open []fleetrun.Member, earlier map[string]Entry, err error) {
	found, err := j.Read()
	if err != nil {
		return nil, nil, err
	}
	refuse := func(problem string) error {
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: "--resume: " + problem,
			Remedy:  "run the command without --resume",
		}
	}
	switch {
	case !found:
		return nil, nil, refuse(fmt.Sprintf("there is no run to resume in %s", filepath.Dir(j.path)))
	case j.Operation != operation:
		return nil, nil, refuse(fmt.Sprintf("the last run was `fleet %s`", j.Operation))
	case j.Offline != offline:
		return nil, nil, refuse(map[bool]string{
			true:  "the last run was with --offline",
			false: "the last run was without --offline",
		}[j.Offline])
	}
	byID := map[string]fleetrun.Member{}
	for _, m := range members {
		byID[m.Dir+"/"+m.Stack] = m
	}
	earlier = map[string]Entry{}
	for i := range j.Stacks {
		entry := &j.Stacks[i]
		m, known := byID[entry.Dir+"/"+entry.Stack]
		if !known {
			return nil, nil, refuse(fmt.Sprintf("stack %s of the last run no longer has a file", entry.ID))
		}
		if done(entry.Status) && !entry.Open && (operation == string(gates.Destroy) || entry.Digest == m.Digest) {
			continue
		}
		earlier[m.ID] = *entry
		entry.Digest, entry.Status, entry.Problem, entry.Open = m.Digest, fleetrun.Waiting, "", false
		open = append(open, m)
	}
	j.Process = os.Getpid()
	return open, earlier, j.write()
}

// MadeAgain reports whether a stack has a resource that was created after the run began. A destroy creates nothing:
// somebody made the stack again, and the consent to destroy it was given for what it was.
func (j *Journal) MadeAgain(d *state.Deployment) bool {
	return d != nil && slices.ContainsFunc(d.Resources, func(r *state.Resource) bool {
		return r.Created != nil && r.Created.After(j.Began)
	})
}

// Unfinished returns how many stacks of the last run have not succeeded, or have a change to continue.
func (j *Journal) Unfinished() int {
	n := 0
	for _, entry := range j.Stacks {
		if !done(entry.Status) || entry.Open {
			n++
		}
	}
	return n
}

// Open returns how many stacks have a change to continue.
func (j *Journal) Open() int {
	n := 0
	for _, entry := range j.Stacks {
		if entry.Open {
			n++
		}
	}
	return n
}

// Note records a job's status.
func (j *Journal) Note(job *fleetrun.Job, outcome fleetrun.Outcome) error {
	if j == nil {
		return nil
	}
	entry := j.entries[[2]string{job.Dir, job.Stack}]
	if entry == nil {
		return nil
	}
	entry.Status, entry.Problem, entry.Open, entry.Seconds = outcome.Status, outcome.Problem, outcome.Open,
		outcome.Took.Round(time.Millisecond).Seconds()
	return atomicfile.AppendSyncedLine(j.path, entry)
}

// write writes the line with all stacks.
func (j *Journal) write() error {
	j.Format = journalFormat
	j.index()
	text, err := json.Marshal(j.Content)
	if err != nil {
		return fmt.Errorf("writing the fleet's journal: %w", err)
	}
	return atomicfile.Write(j.path, append(text, '\n'))
}

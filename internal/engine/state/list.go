package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"

	"github.com/tidwall/gjson"
)

// Summary is a stack in a list.
type Summary struct {
	Name string
	// Resources is the number of resources in the state, including the engine's own.
	Resources int
	// Managed is the number of those that a plan counts: neither components nor the engine's own. It is -1 if only the
	// engine, which lists the stacks, knows it.
	Managed int
	// Updated is when the state was last written, in milliseconds; zero if it never was.
	Updated time.Time
	// Busy is true if an update is in progress and the backend reports it.
	Busy bool
	// Incomplete is true if a folder's state has operations that an update began and did not end, or resources and no
	// outputs of the stack: its first update did not reach its end.
	Incomplete bool
	// Err is why the state cannot be read; the other values are then zero.
	Err error
}

// List lists a project's stacks in a backend's folder, in no particular order. It reports false if only the engine can
// list them: the backend is not a folder, or a state is not in the engine's default format.
func List(folder, project string) ([]Summary, bool, error) {
	if folder == "" || !(File{folder: folder}).byProject() {
		return nil, false, nil
	}
	dir := filepath.Join(folder, ".pulumi", "stacks", project)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("listing the states: %w", err)
	}
	var names, files []string
	for _, entry := range entries {
		name, form := FormOf(entry.Name())
		switch {
		case form == UnknownForm, form == StateForm && slices.Contains(names, name):
			return nil, false, nil // the engine says which one counts
		case form == StateForm:
			names, files = append(names, name), append(files, entry.Name())
		}
	}
	summaries, known := make([]Summary, len(names)), make([]bool, len(names))
	next := make(chan int)
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for i := range next {
				summaries[i], known[i] = summarize(filepath.Join(dir, files[i]))
				summaries[i].Name = names[i]
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	readers.Wait()
	for i := range names {
		if !known[i] {
			return nil, false, nil // the engine reports what is wrong with it
		}
	}
	return summaries, true, nil
}

// summarize reads the summary from a state's file, without decoding the resources. It reports false for a file in
// another form.
func summarize(path string) (Summary, bool) {
	text, err := atomicfile.ReadRegular(path)
	if err != nil {
		return Summary{Err: fmt.Errorf("reading the state: %w", err)}, true
	}
	if text, err = unpack(text); err != nil || !gjson.ValidBytes(text) {
		stack, _ := FormOf(filepath.Base(path))
		return Summary{Err: fmt.Errorf("the state file %s is incomplete; `hypershift-aws repair -s %s` finds a copy of it", path, stack)}, true
	}
	fields := gjson.GetManyBytes(text, "version", "checkpoint", "checkpoint.latest", "checkpoint.latest.manifest.time",
		"checkpoint.latest.resources.#",
		"checkpoint.latest.pending_operations.#", `checkpoint.latest.resources.#(type=="pulumi:pulumi:Stack").outputs`)
	version, checkpoint, latest, written, resources := fields[0].Raw, fields[1], fields[2], fields[3], fields[4]
	switch {
	case !checkpoint.Exists():
		return Summary{}, false
	case latest.Type == gjson.Null && slices.Contains([]string{"0", "3", "4"}, version):
		return Summary{}, true // created, but never updated
	case version != "3" && version != "4":
		return Summary{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, written.String())
	if err != nil {
		return Summary{}, false
	}
	s := Summary{Resources: int(resources.Int())}
	for _, r := range gjson.GetBytes(text, "checkpoint.latest.resources.#(custom==true)#").Array() {
		if !r.Get("delete").Bool() && !strings.HasPrefix(r.Get("type").String(), "pulumi:") {
			s.Managed++
		}
	}
	s.Incomplete = fields[5].Int() > 0 || s.Resources > 0 && len(fields[6].Map()) == 0
	if !at.IsZero() {
		s.Updated = at.UTC().Truncate(time.Millisecond)
	}
	return s, true
}

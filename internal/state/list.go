package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Summary is what a list says of a stack.
type Summary struct {
	Name string
	// Resources is how many resources the state has, the engine's own included.
	Resources int
	// Updated is when the state was last written, in milliseconds; zero where it never was.
	Updated time.Time
}

// List lists a project's stacks in a backend's folder, in no particular order. It reports false where only the engine can: the backend is
// no folder, or a state is in another form than the engine writes by default.
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
	var names []string
	for _, entry := range entries {
		name, isState := strings.CutSuffix(entry.Name(), ".json")
		switch {
		case isState:
			names = append(names, name)
		case strings.HasSuffix(entry.Name(), ".gz"):
			return nil, false, nil
		}
	}
	summaries, known := make([]Summary, len(names)), make([]bool, len(names))
	next := make(chan int)
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for i := range next {
				summaries[i], known[i] = summarize(filepath.Join(dir, names[i]+".json"))
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
			return nil, false, nil // the engine says what is wrong with it
		}
	}
	return summaries, true, nil
}

// summarize reads a state's file no further than it must: most of it is what resources are made of. It reports false for a form that it
// does not know.
func summarize(path string) (Summary, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Summary{}, false
	}
	root := jsonValue(text)
	version, rest := root.field("version").token(), root.field("checkpoint")
	if version != "3" && version != "4" || rest == nil {
		return Summary{}, false
	}
	latest := rest.field("latest")
	if latest == nil || latest.token() == "null" {
		return Summary{}, true // it was made, and nothing in it
	}
	var s Summary
	written, err := time.Parse(time.RFC3339Nano, strings.Trim(latest.field("manifest").field("time").token(), `"`))
	if err != nil {
		return Summary{}, false
	}
	if !written.IsZero() {
		s.Updated = written.UTC().Truncate(time.Millisecond)
	}
	resources := latest.field("resources")
	if resources == nil || resources.token() == "null" {
		return s, true
	}
	var whole bool
	s.Resources, whole = resources.elements()
	return s, whole
}

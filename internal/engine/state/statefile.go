package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// ErrNoStack is the error for a stack that its backend does not have.
var ErrNoStack = errors.New("the backend has no such stack")

// File is the file of a stack's state in a folder backend. The zero value is a state that only the engine can read.
type File struct {
	folder, project, stack string
}

// NewFile returns the file of a project's stack in a backend's folder; the folder is "" for other backends. The stack
// may be named as "organization/project/stack".
func NewFile(folder, project, stack string) File {
	if strings.Contains(stack, "/") {
		parts := strings.Split(stack, "/")
		if len(parts) != 3 || parts[0] != "organization" {
			return File{}
		}
		project, stack = parts[1], parts[2]
	}
	if folder == "" {
		return File{}
	}
	return File{folder, project, stack}
}

// path returns the file's path, unless the engine is configured to compress it.
func (f File) path() string {
	return filepath.Join(f.folder, ".pulumi", "stacks", f.project, f.stack+".json")
}

// Path returns the file's path, or "" if it cannot be read here.
func (f File) Path() string {
	if f.folder == "" {
		return ""
	}
	if _, err := os.Stat(f.path()); err != nil {
		return ""
	}
	return f.path()
}

// Copies returns the paths of the engine's own copies of the state, as far as they exist: the copy from before the last
// write, and the history.
func (f File) Copies() []string {
	if f.folder == "" {
		return nil
	}
	// the pattern is valid
	paths, _ := filepath.Glob(filepath.Join(atomicfile.EscapeGlob(f.folder), ".pulumi", "history", f.project, f.stack,
		"*.checkpoint.json"))
	if bak := f.path() + ".bak"; exists(bak) {
		paths = append(paths, bak)
	}
	return paths
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Read reads the state. It returns nil if only the engine can, and ErrNoStack if the folder has none.
func (f File) Read() (*Deployment, error) {
	path := f.Path()
	if path == "" {
		if f.absent() {
			return nil, ErrNoStack
		}
		return nil, nil
	}
	text, err := atomicfile.ReadRegular(path)
	if err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	read, err := ParseCheckpoint(text)
	if errors.Is(err, errNoJSON) {
		return nil, nil // the engine reports what is wrong with it
	}
	return read, err
}

// absent reports whether the folder shows that there is no such stack. The engine may have compressed the state, and
// older engines kept it elsewhere.
func (f File) absent() bool {
	if f.folder == "" || !f.byProject() {
		return false
	}
	others, err := filepath.Glob(atomicfile.EscapeGlob(f.path()) + "*")
	for _, other := range others {
		if _, form := FormOf(filepath.Base(other)); form != CopyForm {
			return false
		}
	}
	return err == nil
}

// byProject reports whether the backend has one folder of stacks per project, as it does unless an engine before v3.61
// created it.
func (f File) byProject() bool {
	bookkeeping := filepath.Join(f.folder, ".pulumi")
	if _, err := os.Stat(bookkeeping); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	text, err := atomicfile.ReadRegular(filepath.Join(bookkeeping, "meta.yaml"))
	var meta struct {
		Version int `yaml:"version"`
	}
	return err == nil && yaml.Unmarshal(text, &meta) == nil && meta.Version == 1
}

// Create writes an empty state, as `pulumi stack init` does; the engine then creates the stack's secrets provider in
// the first operation. It reports whether there is a state now: false if the engine has to create it.
//
// The state has an empty deployment: the engine crashes when a program reads the resources of a state that has none.
func (f File) Create() (bool, error) {
	if f.folder == "" || !f.byProject() {
		return false, nil
	}
	return true, f.create(3, nil, map[string]any{"latest": map[string]any{"manifest": newManifest}})
}

// CreateWith writes a state with the resources of d, without its pending operations, into a folder that has none.
func (f File) CreateWith(d *Deployment) error {
	untyped, err := d.Encode()
	if err != nil {
		return err
	}
	return f.create(untyped.Version, untyped.Features, map[string]any{"latest": untyped.Deployment})
}

// create writes the file of a state, unless it exists.
func (f File) create(version int, features []string, checkpoint map[string]any) error {
	checkpoint["stack"] = fmt.Sprintf("organization/%s/%s", f.project, f.stack)
	versioned := map[string]any{"version": version, "checkpoint": checkpoint}
	if len(features) > 0 {
		versioned["features"] = features
	}
	text, err := json.Marshal(versioned)
	if err == nil {
		err = atomicfile.MakeDir(filepath.Dir(f.path()))
	}
	if err == nil {
		err = atomicfile.Write(filepath.Join(f.folder, ".pulumi", "meta.yaml"), []byte("version: 1\n"))
	}
	if err == nil {
		err = atomicfile.Create(f.path(), text)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // another run has just created it
		return fmt.Errorf("creating the state of stack %s: %w", f.stack, err)
	}
	return nil
}

package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"gopkg.in/yaml.v3"
)

// errNoState is a stack that its backend does not have.
var errNoState = errors.New("no stack named so")

// Resources are those of the stack's state that stand for something in a cloud, made by the stack or looked at.
func (s *Stack) Resources(ctx context.Context) ([]apitype.ResourceV3, error) {
	if err := s.currentState(ctx); err != nil {
		return nil, s.classify(err)
	}
	var found []apitype.ResourceV3
	for _, r := range s.state.resources {
		if r.Custom && !r.Delete && !strings.HasPrefix(string(r.Type), "pulumi:") {
			found = append(found, r.ResourceV3)
		}
	}
	return found, nil
}

// currentState reads the stack's state unless nothing has changed it since it was read.
func (s *Stack) currentState(ctx context.Context) error {
	if s.stateRead {
		return nil
	}
	return s.readState(ctx)
}

// stateChanged has the state read again when it is next needed.
func (s *Stack) stateChanged() { s.stateRead = false }

// readState reads the stack's state: from the file in which the backend keeps it, else by the engine.
func (s *Stack) readState(ctx context.Context) error {
	state, err := s.stateFromFile()
	if state == nil && err == nil {
		state, err = s.exportState(ctx)
	}
	s.stateRead = err == nil
	if err != nil {
		state = &deployment{}
	}
	s.state = state
	return err
}

func (s *Stack) exportState(ctx context.Context) (*deployment, error) {
	text, err := s.run(ctx, "stack", "export", "--stack", s.Name)
	if err != nil {
		return nil, err
	}
	return parseExport([]byte(text))
}

// stateFromFile reads the state where the backend is a folder. It returns nil where only the engine can.
func (s *Stack) stateFromFile() (*deployment, error) {
	path := s.stateFile()
	if path == "" {
		if s.certainlyWithoutState() {
			return nil, errNoState
		}
		return nil, nil
	}
	if _, err := s.mendState(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	if !json.Valid(text) {
		return nil, nil // the engine says what is wrong with it
	}
	return parseCheckpoint(text)
}

// statePath is where a backend in a folder keeps the stack's state: ".json", unless the engine is told to compress it. It
// is "" where the backend is no folder, or where the stack is not one of a project's.
func (s *Stack) statePath() string {
	folder := s.backend.folder()
	project, name := s.session.Project.Name(), s.Name
	if strings.Contains(name, "/") {
		parts := strings.Split(name, "/")
		if len(parts) != 3 || parts[0] != "organization" {
			return ""
		}
		project, name = parts[1], parts[2]
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, ".pulumi", "stacks", project, name+".json")
}

// stateFile is the file of the stack's state, "" where there is none that can be read here.
func (s *Stack) stateFile() string {
	path := s.statePath()
	if path == "" {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// certainlyWithoutState is whether the backend's folder shows that there is no such stack. The engine may have
// compressed the state, and older engines kept it elsewhere.
func (s *Stack) certainlyWithoutState() bool {
	path := s.statePath()
	if path == "" || !s.backend.byProject() {
		return false
	}
	others, err := filepath.Glob(escapeGlob(path) + "*")
	for _, other := range others {
		if !strings.HasSuffix(other, ".bak") && !strings.HasSuffix(other, ".attrs") {
			return false
		}
	}
	return err == nil
}

// byProject is whether a backend in a folder keeps the stacks of each project in a folder, as it does unless it was made
// by an engine before v3.61.
func (b Backend) byProject() bool {
	bookkeeping := filepath.Join(b.folder(), ".pulumi")
	if _, err := os.Stat(bookkeeping); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	text, err := os.ReadFile(filepath.Join(bookkeeping, "meta.yaml"))
	var meta struct {
		Version int `yaml:"version"`
	}
	return err == nil && yaml.Unmarshal(text, &meta) == nil && meta.Version == 1
}

// createState gives the stack an empty state, as `pulumi stack init` does, where the backend is this program's own
// folder: the engine then makes the stack's secrets provider in the operation itself. It reports whether it did.
func (s *Stack) createState() (bool, error) {
	path := s.statePath()
	if path == "" || !s.backend.own || !s.backend.byProject() {
		return false, nil
	}
	text, err := json.Marshal(map[string]any{
		"version":    3,
		"checkpoint": map[string]any{"stack": fmt.Sprintf("organization/%s/%s", s.session.Project.Name(), s.Name)},
	})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = writeFile(filepath.Join(s.backend.folder(), ".pulumi", "meta.yaml"), []byte("version: 1\n"))
	}
	if err == nil {
		err = createFile(path, text)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // another run has just made it
		return false, fmt.Errorf("making the state of stack %s: %w", s.Name, err)
	}
	return true, nil
}

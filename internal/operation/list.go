package operation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// StackInfo is a stack that has a file, a state or both.
type StackInfo struct {
	Name string `json:"name"`
	// HasFile is true if the project has its Pulumi.<stack>.yaml.
	HasFile bool `json:"hasFile"`
	// HasState is true if the backend has its state.
	HasState bool `json:"hasState"`
	// Resources is the number of resources in the state, including the engine's own.
	Resources int `json:"resources"`
	// Updated is when the state last changed; zero where it never did.
	Updated time.Time `json:"updated,omitzero"`
	// Busy is true if an update is in progress and the backend reports it.
	Busy bool `json:"busy"`
}

// List lists the project's stacks: those with a file and those that the backend has under its name.
func (s *Session) List(ctx context.Context) ([]StackInfo, error) {
	infos := map[string]*StackInfo{}
	for _, name := range s.Project.Stacks() {
		infos[name] = &StackInfo{Name: name, HasFile: true}
	}
	states, err := s.states(ctx)
	if err != nil {
		return nil, err
	}
	for _, state := range states {
		info := infos[state.Name]
		if info == nil {
			info = &StackInfo{Name: state.Name}
			infos[state.Name] = info
		}
		info.HasState, info.Resources, info.Updated, info.Busy = true, state.Resources, state.Updated, state.Busy
	}
	list := make([]StackInfo, 0, len(infos))
	for _, info := range infos {
		list = append(list, *info)
	}
	slices.SortFunc(list, func(a, b StackInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// states lists the stacks that the backend has of this project: from the files of a folder, else by the engine.
func (s *Session) states(ctx context.Context) ([]state.Summary, error) {
	summaries, known, err := state.List(s.stack("", nil).backend.Folder(), s.Project.Name())
	if err != nil || !known {
		return s.askStates(ctx)
	}
	return summaries, nil
}

// askStates lists stacks by the engine.
func (s *Session) askStates(ctx context.Context, flags ...string) ([]state.Summary, error) {
	stack, err := s.stackToRead("")
	if stack == nil || err != nil {
		return nil, err
	}
	text, err := stack.run(ctx, append([]string{"stack", "ls", "--json"}, flags...)...)
	if err != nil {
		return nil, stack.classify(err)
	}
	var listed []struct {
		Name             string    `json:"name"`
		LastUpdate       time.Time `json:"lastUpdate"`
		ResourceCount    int       `json:"resourceCount"`
		UpdateInProgress bool      `json:"updateInProgress"`
	}
	if err := json.Unmarshal([]byte(text), &listed); err != nil {
		return nil, fmt.Errorf("reading the list of stacks: %w", err)
	}
	states := make([]state.Summary, len(listed))
	for i, l := range listed {
		states[i] = state.Summary{Name: l.Name, Resources: l.ResourceCount, Updated: l.LastUpdate, Busy: l.UpdateInProgress}
	}
	return states, nil
}

// stackToRead returns a stack whose state can be read or listed; nil if there is no backend yet.
func (s *Session) stackToRead(name string) (*Stack, error) {
	stack := s.stack(name, nil)
	if exists, err := stack.backend.Exists(); err != nil || !exists {
		return nil, err
	}
	var err error
	stack.workDir, err = s.listWorkDir()
	return stack, err
}

// allStates returns the names of all stacks of the backend: those of other projects with the project's name.
func (s *Session) allStates(ctx context.Context) ([]string, error) {
	states, err := s.askStates(ctx, "--all")
	var names []string
	for _, state := range states {
		parts := strings.Split(state.Name, "/")
		if len(parts) > 1 && parts[len(parts)-2] == s.Project.Name() {
			names = append(names, parts[len(parts)-1])
			continue
		}
		names = append(names, state.Name)
	}
	return names, err
}

// stateOf reads the state of any stack of the backend, nil if there is none.
func (s *Session) stateOf(ctx context.Context, name string) (*state.Deployment, error) {
	stack, err := s.stackToRead(name)
	if stack == nil || err != nil {
		return nil, err
	}
	read := stack.storedState
	if strings.Contains(name, "/") {
		read = stack.exportState
	}
	found, err := read(ctx)
	switch {
	case err == nil:
		return found, nil
	case noSuchStack(err):
		return nil, nil
	}
	return nil, stack.classify(err)
}

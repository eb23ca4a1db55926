package automation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// StackInfo is a stack that has a file, a state or both.
type StackInfo struct {
	Name string `json:"name"`
	// HasFile is whether the project has its Pulumi.<stack>.yaml.
	HasFile bool `json:"hasFile"`
	// HasState is whether the backend has it.
	HasState bool `json:"hasState"`
	// Resources is how many resources the state holds, the engine's own included.
	Resources int `json:"resources"`
	// Updated is when the state last changed; zero where it never did.
	Updated time.Time `json:"updated,omitzero"`
	// Busy is whether an update is under way, where the backend says so.
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
		info.HasState, info.Resources, info.Busy = true, state.ResourceCount, state.UpdateInProgress
		if state.LastUpdate != "" {
			if info.Updated, err = time.Parse(time.RFC3339, state.LastUpdate); err != nil {
				return nil, fmt.Errorf("reading when stack %s was updated: %w", state.Name, err)
			}
		}
	}
	list := make([]StackInfo, 0, len(infos))
	for _, info := range infos {
		list = append(list, *info)
	}
	slices.SortFunc(list, func(a, b StackInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// stackState is a stack as `pulumi stack ls --json` lists it.
type stackState struct {
	Name             string `json:"name"`
	LastUpdate       string `json:"lastUpdate"`
	ResourceCount    int    `json:"resourceCount"`
	UpdateInProgress bool   `json:"updateInProgress"`
}

func (s *Session) states(ctx context.Context) ([]stackState, error) {
	stack := s.stack("", nil)
	if exists, err := stack.backend.Exists(); err != nil || !exists {
		return nil, err
	}
	var err error
	if stack.workDir, err = s.listWorkDir(); err != nil {
		return nil, err
	}
	text, err := stack.run(ctx, "stack", "ls", "--json")
	if err != nil {
		return nil, stack.classify(err)
	}
	var states []stackState
	if err := json.Unmarshal([]byte(text), &states); err != nil {
		return nil, fmt.Errorf("reading the list of stacks: %w", err)
	}
	return states, nil
}

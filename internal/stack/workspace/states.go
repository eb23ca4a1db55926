package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/bucket"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// OutputsOf reads the outputs of any stack, nil if there is no such stack.
func (s *Session) OutputsOf(ctx context.Context, name string) (map[string]any, error) {
	stack, err := s.StackToRead(name)
	if stack == nil || err != nil {
		return nil, err
	}
	if err := stack.ReadState(ctx); err != nil {
		if IsMissing(err) {
			return nil, nil
		}
		return nil, err
	}
	return stack.State.Outputs(), nil
}

// ListWorkDir creates the folder in which the engine reads several stacks; no stack can have its name.
func (s *Session) ListWorkDir() (string, error) {
	dir := filepath.Join(s.Environment.Folder(), "work", ".list")
	return dir, s.Project.WriteWorkDir(dir, "")
}

// statesWithin limits the time in which the states of a backend are read. Those that are left are not read, and named.
const statesWithin = time.Minute

// engines is how many engines read states at the same time, in a backend that only the engine can read.
const engines = 4

// mayStayUnread reports whether the user allows a stack not to be read, and records it.
func (s *Session) mayStayUnread(name string, why error) bool {
	allowed, first := s.Unread.allows(name)
	if !first {
		return allowed
	}
	stack := s.Stack("", nil)
	use := s.NewUse("", gate.UnreadFlag, name)
	use.Evidence = why.Error()
	if err := stack.Session.Consents().Add(use); err != nil {
		stack.Say("%s", err)
		return false
	}
	stack.Say("recorded consent: %s", use.Text())
	return true
}

// EachState reads the states of all stacks of the backend but one, "" for all, and calls each with one after the other.
// Stack is then the name in messages: that of a stack of another project is "organization/<project>/<stack>". What
// cannot be read is passed with its error, unless the user allows it: "organization/<project>/*" is a project whose
// states cannot be listed, "organization/*/*" those of all other projects.
func (s *Session) EachState(ctx context.Context, except string, each func(state.OfStack)) error {
	return s.EachMention(ctx, except, nil, each)
}

// EachMention is EachState for the states that mention selects, where the backend shows their text.
func (s *Session) EachMention(
	ctx context.Context,
	except string,
	mention state.Mention,
	each func(state.OfStack),
) error {
	backend := s.Stack("", nil).Backend
	if exists, err := backend.Exists(); err != nil || !exists {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, statesWithin)
	defer cancel()
	own := s.Project.Name()
	pass := func(one state.OfStack) {
		if one.Project == own && one.Stack == path.Base(except) {
			return
		}
		if one.Project != own || one.Stack == "*" {
			one.Stack = path.Join("organization", one.Project, one.Stack)
		}
		if one.Err == nil || !s.mayStayUnread(one.Stack, one.Err) {
			each(one)
		}
	}
	if err := bucket.EachState(ctx, backend, own, mention, pass); err != nil {
		s.askEachState(ctx, pass) // it is a Pulumi Cloud, or the engine reports what is wrong
	}
	return nil
}

// askEachState reads the states by the engine.
func (s *Session) askEachState(ctx context.Context, each func(state.OfStack)) {
	own := s.Project.Name()
	names, err := s.allStates(ctx)
	if err != nil {
		names = s.Project.Stacks()
		each(state.OfStack{Project: "*", Stack: "*", Err: err})
	}
	next := make(chan string)
	var reading sync.WaitGroup
	var calling sync.Mutex
	for range engines {
		reading.Go(func() {
			for name := range next {
				one := state.OfStack{Project: own, Stack: path.Base(name)}
				if project := path.Base(path.Dir(name)); project != "." {
					one.Project = project
				}
				if one.Err = ctx.Err(); one.Err == nil {
					one.Deployment, one.Err = s.StateOf(ctx, name)
				}
				if one.Deployment != nil || one.Err != nil {
					calling.Lock()
					each(one)
					calling.Unlock()
				}
			}
		})
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	reading.Wait()
}

// OtherStates reads the states of the backend's stacks but one, "" for all.
func (s *Session) OtherStates(ctx context.Context, except string) (all []state.OfStack, err error) {
	err = s.EachState(ctx, except, func(one state.OfStack) { all = append(all, one) })
	return all, err
}

// EachFile calls each with the file of each stack of the project but one, "" for all, or what was given in its place;
// or with the error of one that cannot be read, unless the user allows that.
func (s *Session) EachFile(except string, each func(name string, file *config.File, err error)) {
	for _, name := range s.Project.Stacks() {
		if name == except {
			continue
		}
		file, err := s.Project.LoadStack(name)
		if err == nil || !s.mayStayUnread(name, err) {
			each(name, file, err)
		}
	}
}

// UnreadFiles returns the project's other stacks whose files cannot be read, each with the reason.
func (s *Session) UnreadFiles(except string) (unread []string) {
	s.EachFile(except, func(name string, _ *config.File, err error) {
		if err != nil {
			unread = append(unread, fmt.Sprintf("stack %s: its file cannot be read: %v", name, err))
		}
	})
	return unread
}

// List lists the project's stacks: those with a file and those that the backend has under its name.
func (s *Session) List(ctx context.Context) ([]backend.Stack, error) {
	infos := map[string]*backend.Stack{}
	for _, name := range s.Project.Stacks() {
		infos[name] = &backend.Stack{Name: name, HasFile: s.Project.Supplied(name) == nil}
	}
	states, err := s.States(ctx)
	if err != nil {
		return nil, err
	}
	for _, state := range states {
		info := infos[state.Name]
		if info == nil {
			info = &backend.Stack{Name: state.Name}
			infos[state.Name] = info
		}
		info.HasState, info.Resources, info.Managed = true, state.Resources, state.Managed
		info.Updated, info.Busy, info.Incomplete = state.Updated, state.Busy, state.Incomplete
		if state.Err != nil {
			info.Fault = state.Err.Error()
		}
	}
	list := make([]backend.Stack, 0, len(infos))
	for _, info := range infos {
		list = append(list, *info)
	}
	slices.SortFunc(list, func(a, b backend.Stack) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// States lists the stacks that the backend has of this project: from the files of a folder, else by the engine.
func (s *Session) States(ctx context.Context) ([]state.Summary, error) {
	summaries, known, err := state.List(s.Stack("", nil).Backend.Folder(), s.Project.Name())
	if err != nil || !known {
		return s.askStates(ctx)
	}
	return summaries, nil
}

// askStates lists stacks by the engine.
func (s *Session) askStates(ctx context.Context, flags ...string) ([]state.Summary, error) {
	stack, err := s.StackToRead("")
	if stack == nil || err != nil {
		return nil, err
	}
	text, err := stack.Run(ctx, append([]string{"stack", "ls", "--json"}, flags...)...)
	if err != nil {
		return nil, stack.Classify(err)
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
		states[i] = state.Summary{
			Name:      l.Name,
			Resources: l.ResourceCount,
			Managed:   -1,
			Updated:   l.LastUpdate,
			Busy:      l.UpdateInProgress,
		}
	}
	return states, nil
}

// StackToRead returns a stack whose state can be read or listed; nil if there is no backend yet.
func (s *Session) StackToRead(name string) (*Stack, error) {
	stack := s.Stack(name, nil)
	if exists, err := stack.Backend.Exists(); err != nil || !exists {
		return nil, err
	}
	var err error
	stack.WorkDir, err = s.ListWorkDir()
	return stack, err
}

// allStates returns the names of all stacks of the backend. A stack of another project has the project's name too.
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

// StateOf reads the state of any stack of the backend, nil if there is none.
func (s *Session) StateOf(ctx context.Context, name string) (*state.Deployment, error) {
	stack, err := s.StackToRead(name)
	if stack == nil || err != nil {
		return nil, err
	}
	read := stack.storedState
	if strings.Contains(name, "/") {
		read = stack.ExportState
	}
	found, err := read(ctx)
	switch {
	case err == nil:
		return found, nil
	case IsMissing(err):
		return nil, nil
	}
	return nil, stack.Classify(err)
}

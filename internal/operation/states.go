package operation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/bucket"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// statesWithin limits the time in which the states of a backend are read. Those that are left are not read, and named.
const statesWithin = time.Minute

// engines is how many engines read states at the same time, in a backend that only the engine can read.
const engines = 4

// Unread are the stacks that the user asserts not to use what an operation changes although they cannot be read. nil is none.
type Unread struct {
	// Names are the names of the stacks as messages have them.
	Names []string

	mu       sync.Mutex
	recorded []string
}

// allows reports whether the user names a stack, and whether that is the first use.
func (u *Unread) allows(name string) (allowed, first bool) {
	if u == nil || !slices.Contains(u.Names, name) {
		return false, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	first = !slices.Contains(u.recorded, name)
	u.recorded = append(u.recorded, name)
	return true, first
}

// mayStayUnread reports whether the user allows a stack not to be read, and records it.
func (s *Session) mayStayUnread(name string, why error) bool {
	allowed, first := s.Unread.allows(name)
	if !first {
		return allowed
	}
	stack := s.stack("", nil)
	use := consent.New("", gate.UnreadFlag, name, s.Environ.Get)
	use.Evidence = why.Error()
	if err := stack.session.consents().Add(use); err != nil {
		stack.say("%s", err)
		return false
	}
	stack.say("kept in the journal of consents: %s", use.Text())
	return true
}

// eachState reads the states of all stacks of the backend but one, "" for all, and calls each with one after the other. Stack is then the name in
// messages: that of a stack of another project is "organization/<project>/<stack>". What cannot be read is passed with its error, unless the user
// allows it: "organization/<project>/*" is a project whose states cannot be listed, "organization/*/*" those of all other projects.
func (s *Session) eachState(ctx context.Context, except string, each func(state.OfStack)) error {
	backend := s.stack("", nil).backend
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
	if err := bucket.EachState(ctx, backend, own, pass); err != nil {
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
					one.Deployment, one.Err = s.stateOf(ctx, name)
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

// otherStates reads the states of the backend's stacks but one, "" for all.
func (s *Session) otherStates(ctx context.Context, except string) (all []state.OfStack, err error) {
	err = s.eachState(ctx, except, func(one state.OfStack) { all = append(all, one) })
	return all, err
}

// eachFile calls each with the file of each stack of the project but one, "" for all; or with the error of one that cannot be read, unless the user
// allows that.
func (s *Session) eachFile(except string, each func(name string, file *config.File, err error)) {
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

// unreadFiles returns the project's other stacks whose files cannot be read, each with the reason.
func (s *Session) unreadFiles(except string) (unread []string) {
	s.eachFile(except, func(name string, _ *config.File, err error) {
		if err != nil {
			unread = append(unread, fmt.Sprintf("stack %s: its file cannot be read: %v", name, err))
		}
	})
	return unread
}

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

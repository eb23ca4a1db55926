package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Stack is a stack of a session. Close it.
type Stack struct {
	// Name is the stack's name.
	Name    string
	Session *Session
	Backend engine.Backend
	// WorkDir is the folder of the stack's own files, Engine the operation's folder in which the engine runs; without one,
	// it runs in WorkDir. Command is the command that runs it, and Auto the engine's own view of the stack.
	WorkDir string
	Engine  project.WorkDir
	Command *engine.Command
	Auto    auto.Stack
	// EnginePID is the process ID of the engine that was started last to change the stack.
	EnginePID atomic.Int64
	// File is the stack's file, nil if the operation reads no config.
	File *config.File
	// Management is the outputs of the management stack in the file, nil if there is none.
	Management *config.ManagementOutputs
	// Providers are the providers of the stack's resources in AWS.
	Providers *Providers
	// State is the stack's state when it was last read, with encrypted secrets. StateRead is true if nothing has changed
	// the state since then. What runs at the same time as a read calls CurrentState first, or LastState.
	State     *state.Deployment
	StateRead bool
	// reading is locked while the state is read: gates that run at the same time share one read. known is locked for the
	// two fields above: the engine that reads the state is prepared by the last one.
	reading, known sync.Mutex
	// Used are the uses of flags that the stack exports, and added those of this run.
	Used, added []consent.Use
	// Refused is the refusal of a kubeconfig that the engine was not started with. The Automation API's error does not
	// have it.
	Refused error
}

// Kind returns the stack's kind, from its last update or, before the first one, from its file; "" if neither has one.
func (s *Stack) Kind() config.Kind {
	if made := s.LastState().Outputs().String("kind"); made != "" {
		return config.Kind(made)
	}
	if s.File != nil {
		return s.File.Kind
	}
	return ""
}

// Close releases the resources of the stack's operations. The engine creates folders in its backend that everybody can
// enter.
func (s *Stack) Close() {
	if s.Backend.Own {
		_ = atomicfile.MakePrivate(filepath.Join(s.Backend.Folder(), ".pulumi")) // the folder around it is private
	}
	s.Providers.close()
	s.Engine.Close()
}

// EngineDir returns the folder in which the engine runs.
func (s *Stack) EngineDir() string { return cmp.Or(s.Engine.Engine, s.WorkDir) }

// Say reports a sentence about the operation.
func (s *Stack) Say(format string, args ...any) { s.SayText(report.Sentence(format, args...)) }

// SayText reports a composed text about the operation.
func (s *Stack) SayText(text string) { s.Session.Report(&event.Note{Message: text}) }

// Outputs returns the stack's outputs of its last update, with "[secret]" for what is secret unless
// showSecrets is set.
func (s *Stack) Outputs(ctx context.Context, showSecrets bool) (map[string]any, error) {
	if !showSecrets {
		if err := s.CurrentState(ctx); err != nil {
			return nil, err
		}
		return s.State.Outputs(), nil
	}
	outputs, err := s.shownOutputs(ctx)
	if err != nil {
		return nil, s.Classify(err)
	}
	return outputs, nil
}

// Run runs the engine outside of an operation and returns its output.
func (s *Stack) Run(ctx context.Context, args ...string) (string, error) {
	return s.runBy(ctx, s.Command, args...)
}

func (s *Stack) runBy(ctx context.Context, command *engine.Command, args ...string) (string, error) {
	return s.runWith(ctx, command, nil, args...)
}

// runWith runs the engine with a standard input, which it gets from a pipe: if this program is killed, the input ends,
// and nothing of it is left.
func (s *Stack) runWith(ctx context.Context, command *engine.Command, stdin io.Reader, args ...string) (string, error) {
	stdout, stderr, _, err := command.Run(ctx, s.EngineDir(), stdin, nil, nil, nil, args...)
	if err != nil {
		return "", &engine.Error{Stderr: stderr, Err: err}
	}
	return stdout, nil
}

// StackWorkspace is the Automation API's workspace with two differences: it selects no stack, because every command
// names its stack, and it reads outputs only on demand, not after each update.
type StackWorkspace struct{ auto.Workspace }

// SelectStack implements auto.Workspace.
func (StackWorkspace) SelectStack(context.Context, string) error { return nil }

// StackOutputs implements auto.Workspace.
func (StackWorkspace) StackOutputs(context.Context, string) (auto.OutputMap, error) { return nil, nil }

func (s *Stack) shownOutputs(ctx context.Context) (map[string]any, error) {
	text, err := s.Run(ctx, "stack", "output", "--json", "--show-secrets", "--stack", s.Name)
	if err != nil {
		return nil, err
	}
	var outputs map[string]any
	if err := json.Unmarshal([]byte(text), &outputs); err != nil {
		return nil, fmt.Errorf("reading the outputs of stack %s: %w", s.Name, err)
	}
	return outputs, nil
}

// ShownState returns the stack's state with its secrets, which the engine decrypts.
func (s *Stack) ShownState(ctx context.Context) (*state.Deployment, error) {
	text, err := s.Run(ctx, "stack", "export", "--show-secrets", "--stack", s.Name)
	if err != nil {
		return nil, s.Classify(err)
	}
	return state.ParseExport([]byte(text))
}

// Resources returns the resources of the stack's state that represent something in a cloud, created or read by the
// stack.
func (s *Stack) Resources(ctx context.Context) ([]apitype.ResourceV3, error) {
	all, err := s.ResourcesAndProviders(ctx)
	return slices.DeleteFunc(all, func(r apitype.ResourceV3) bool { return strings.HasPrefix(string(r.Type), "pulumi:") }), err
}

// ResourcesAndProviders returns Resources and their providers.
func (s *Stack) ResourcesAndProviders(ctx context.Context) ([]apitype.ResourceV3, error) {
	if err := s.CurrentState(ctx); err != nil {
		return nil, err
	}
	return s.State.InCloud(), nil
}

// DurationsFile returns the path of the file with the durations of the stack's operations.
func (s *Stack) DurationsFile() string { return filepath.Join(s.WorkDir, "durations.json") }

// CurrentState reads the stack's state unless nothing has changed it since it was read. After an error, the next call
// reads it again: what restores a protection may still succeed.
func (s *Stack) CurrentState(ctx context.Context) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.KnownState() != nil {
		return nil
	}
	if err := s.readState(ctx); err != nil {
		return s.Classify(err)
	}
	return nil
}

// LastState returns the state when it was last read, nil before that.
func (s *Stack) LastState() *state.Deployment {
	s.known.Lock()
	defer s.known.Unlock()
	return s.State
}

// KnownState returns the state if nothing has changed it since it was read, nil otherwise.
func (s *Stack) KnownState() *state.Deployment {
	s.known.Lock()
	defer s.known.Unlock()
	if !s.StateRead {
		return nil
	}
	return s.State
}

// StateChanged discards the state that was read: it is read again when it is next needed.
func (s *Stack) StateChanged() {
	s.known.Lock()
	defer s.known.Unlock()
	s.StateRead = false
}

// ReadState reads the stack's state, after it has been restored if an engine left it damaged.
func (s *Stack) ReadState(ctx context.Context) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.readState(ctx)
}

func (s *Stack) readState(ctx context.Context) error {
	// The file of an update that runs may be incomplete because it is being written.
	lock, err := s.Lock()
	if err == nil && lock == nil {
		err = s.Session.Copies(s.StateFile(), s.WorkDir).Restore(s.Session.RestoreState, s.Session.Report)
	}
	var read *state.Deployment
	if err == nil {
		read, err = s.storedState(ctx)
	}
	if err != nil && lock != nil {
		err = LockedBy(s.Name, lock)
	}
	if err != nil {
		read = &state.Deployment{}
	}
	s.known.Lock()
	defer s.known.Unlock()
	s.State, s.StateRead = read, err == nil
	return err
}

// storedState reads the state from the backend's file, otherwise by the engine.
func (s *Stack) storedState(ctx context.Context) (read *state.Deployment, err error) {
	if read, err = s.StateFile().Read(); read == nil && err == nil {
		read, err = s.ExportState(ctx)
	}
	resources := 0
	if read != nil {
		resources = len(read.Resources)
	}
	trace.Of(ctx).DebugContext(ctx, "read", "state", s.Name, "resources", resources, "error", err)
	return read, err
}

// ExportState reads the state by the engine, from any backend.
func (s *Stack) ExportState(ctx context.Context) (*state.Deployment, error) {
	text, err := s.Run(ctx, "stack", "export", "--stack", s.Name)
	if err != nil {
		return nil, err
	}
	return state.ParseExport([]byte(text))
}

// StateFile returns the file of the state in a folder backend; in other backends there is none.
func (s *Stack) StateFile() state.File {
	return state.NewFile(s.Backend.Folder(), s.Session.Project.Name(), s.Name)
}

// HostedCluster returns the hosted cluster in the stack's state, nil if there is none.
func (s *Stack) HostedCluster(ctx context.Context) (*clusterstatus.HostedCluster, error) {
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return clusterstatus.Find(resources), nil
}

// BaseName returns the name of a stack in a folder backend, without its organization and project.
func BaseName(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// Use is one use of a flag that allows what is refused.
type Use struct {
	// Flag and Value are the flag and its value; Evidence is why it was needed.
	Flag, Value, Evidence string
	// Resources are the resources that it is about.
	Resources []string
	// Reviewed is true if the engine carries out a saved plan, which has the stack's outputs: the next update exports the
	// use.
	Reviewed bool
}

// AddUse keeps the use of a flag before it takes effect: in the project's journal and, from the next update on, in
// the stack's outputs.
func (s *Stack) AddUse(u Use) error {
	use := s.Session.NewUse(s.Name, u.Flag, u.Value)
	use.Evidence, use.Resources = u.Evidence, u.Resources
	if err := s.Session.Consents().Add(use); err != nil {
		return err
	}
	s.added = append(s.added, use)
	if !u.Reviewed {
		s.Used = append(s.Used, use)
	}
	s.Say("recorded consent: %s", use.Text())
	return nil
}

// Continues reports whether this run, or an earlier one that no successful update has followed, used a flag for a
// resource: then the use is still open. What cannot be read is no use.
func (s *Stack) Continues(ctx context.Context, flag, resource string) bool {
	used := func(use consent.Use) bool { return use.Flag == flag && slices.Contains(use.Resources, resource) }
	if slices.ContainsFunc(s.added, used) {
		return true
	}
	uses, _ := s.Session.Consents().Uses(s.Name)
	last := time.Time{}
	for _, use := range append(uses, s.Used...) {
		if used(use) && use.Time.After(last) {
			last = use.Time
		}
	}
	if last.IsZero() {
		return false
	}
	newest, err := s.History(ctx, 20)
	return err == nil && !slices.ContainsFunc(newest, func(change backend.Entry) bool {
		return change.Kind == "update" && change.Result == "succeeded" && !change.Time.Before(last.Truncate(time.Second))
	})
}

// ReadUses reads the uses that the stack exports: from its outputs, where other machines may have added some, and from
// the journal.
func (s *Stack) ReadUses() error {
	uses, err := s.Session.Consents().Uses(s.Name)
	s.Used = consent.Merge(s.State.Outputs()[stacks.ConsentsOutput], uses)
	return err
}

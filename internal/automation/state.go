package automation

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Resources returns the resources of the stack's state that represent something in a cloud, created or read by the
// stack.
func (s *Stack) Resources(ctx context.Context) ([]apitype.ResourceV3, error) {
	all, err := s.ResourcesAndProviders(ctx)
	return slices.DeleteFunc(all, func(r apitype.ResourceV3) bool { return strings.HasPrefix(string(r.Type), "pulumi:") }), err
}

// ResourcesAndProviders returns Resources and their providers.
func (s *Stack) ResourcesAndProviders(ctx context.Context) ([]apitype.ResourceV3, error) {
	if err := s.currentState(ctx); err != nil {
		return nil, s.classify(err)
	}
	return s.state.InCloud(), nil
}

// DurationsFile returns the path of the file with the durations of the stack's operations.
func (s *Stack) DurationsFile() string { return filepath.Join(s.workDir, "durations.json") }

// currentState reads the stack's state unless nothing has changed it since it was read.
func (s *Stack) currentState(ctx context.Context) error {
	if s.stateRead {
		return nil
	}
	return s.readState(ctx)
}

// stateChanged discards the state that was read: it is read again when it is next needed.
func (s *Stack) stateChanged() { s.stateRead = false }

// readState reads the stack's state: from the backend's file, otherwise by the engine.
func (s *Stack) readState(ctx context.Context) error {
	// The file of an update that runs may be incomplete because it is being written.
	lock, err := s.held()
	if err == nil && lock == nil {
		err = s.backup().Restore(s.journal(), s.session.Report)
	}
	var read *state.Deployment
	if err == nil {
		read, err = s.stateFile().Read()
	}
	if read == nil && err == nil {
		read, err = s.exportState(ctx)
	}
	if err != nil && lock != nil {
		err = s.lockedBy(lock)
	}
	s.stateRead = err == nil
	if err != nil {
		read = &state.Deployment{}
	}
	s.state = read
	return err
}

func (s *Stack) exportState(ctx context.Context) (*state.Deployment, error) {
	text, err := s.run(ctx, "stack", "export", "--stack", s.Name)
	if err != nil {
		return nil, err
	}
	return state.ParseExport([]byte(text))
}

func (s *Stack) stateFile() state.File {
	return state.NewFile(s.backend.Folder(), s.session.Project.Name(), s.Name)
}

func (s *Stack) journal() recovery.Journal { return recovery.NewJournal(s.workDir) }

func (s *Stack) backup() recovery.Backup { return recovery.NewBackup(s.stateFile(), s.workDir) }

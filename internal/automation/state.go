package automation

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

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
	err := s.backup().restore(s.journal(), s.session.Report)
	var state *deployment
	if err == nil {
		state, err = s.stateFile().Read()
	}
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

func (s *Stack) stateFile() StateFile {
	return NewStateFile(s.backend.folder(), s.session.Project.Name(), s.Name)
}

func (s *Stack) journal() journal { return newJournal(s.workDir) }

func (s *Stack) backup() backup { return newBackup(s.stateFile(), s.workDir) }

package automation

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// checkManagement refuses a stack whose file names an unsuitable management stack, as a fault of the file, and returns
// the management stack's outputs; nil if the file names none. If its state cannot be read here, the engine reports the
// error.
func (s *Session) checkManagement(ctx context.Context, file *config.File) (*config.ManagementOutputs, error) {
	if file == nil || file.Cluster == nil || file.Cluster.Management == "" {
		return nil, nil
	}
	outputs, err := s.outputsOf(ctx, file.Cluster.Management)
	if err != nil {
		return nil, nil //nolint:nilerr // the engine reports what is wrong with the backend or the state
	}
	if outputs == nil && slices.Contains(s.Project.Stacks(), file.Cluster.Management) {
		outputs = map[string]any{} // it has a file, and no state yet
	}
	management, err := config.ReadManagement(file.Cluster.Management, outputs)
	return management, file.Placed(err)
}

// outputsOf reads the outputs of any stack, nil if there is no such stack.
func (s *Session) outputsOf(ctx context.Context, name string) (map[string]any, error) {
	stack, err := s.stackToRead(name)
	if stack == nil || err != nil {
		return nil, err
	}
	if err := stack.readState(ctx); err != nil {
		if noSuchStack(err) {
			return nil, nil
		}
		return nil, err
	}
	return stack.state.Outputs(), nil
}

// listWorkDir creates the folder in which the engine reads several stacks; no stack can have its name.
func (s *Session) listWorkDir() (string, error) {
	dir := s.Project.OwnDir()
	if s.Offline {
		dir = s.Project.OfflineDir()
	}
	dir = filepath.Join(dir, "work", ".list")
	return dir, s.Project.WriteWorkDir(dir, "")
}

// CheckUnused refuses to delete a management stack that cluster stacks of the same backend and project use: those that
// have resources, and whose file or last update names it.
func (s *Stack) CheckUnused(ctx context.Context) error {
	kind, _ := s.state.Outputs()["kind"].(string)
	if kind != string(config.KindManagement) && (s.file == nil || s.file.Kind != config.KindManagement) {
		return nil
	}
	users, err := s.users(ctx)
	if err != nil || len(users) == 0 {
		return err
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("stack %s is used by %s; nothing was changed", s.Name, strings.Join(users, ", ")),
		Remedy:  fmt.Sprintf("destroy them first: `hypershift-aws destroy -s %s`", users[0]),
	}
}

// users lists the stacks with resources that use this one, in alphabetical order.
func (s *Stack) users(ctx context.Context) ([]string, error) {
	all, err := s.session.List(ctx)
	if err != nil {
		return nil, err
	}
	var users []string
	for _, other := range all {
		if other.Name == s.Name || other.Resources == 0 {
			continue
		}
		uses, err := s.isUsedBy(ctx, other)
		if err != nil {
			return nil, err
		}
		if uses {
			users = append(users, other.Name)
		}
	}
	return users, nil
}

func (s *Stack) isUsedBy(ctx context.Context, other StackInfo) (bool, error) {
	project := s.session.Project
	if other.HasFile {
		// Faults of the other stack's file do not matter here.
		if file, _ := project.LoadStack(other.Name); file != nil && file.Cluster != nil &&
			config.Refers(file.Cluster.Management, project.Name(), s.Name) {
			return true, nil
		}
	}
	outputs, err := s.session.outputsOf(ctx, other.Name)
	if err != nil {
		return false, fmt.Errorf("reading whether stack %s uses %s: %w", other.Name, s.Name, err)
	}
	management, _ := outputs["management"].(string)
	return config.Refers(management, project.Name(), s.Name), nil
}

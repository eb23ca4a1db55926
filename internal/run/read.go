package run

import (
	"context"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Outputs returns the outputs of the last update; the map is empty if the stack is not deployed. Secrets are "[secret]"
// unless showSecrets is set.
func (s *Stack) Outputs(ctx context.Context, showSecrets bool) (map[string]any, error) {
	ctx, r, err := s.Begin(ctx, gates.Preview, OpenOptions{Mode: MustExist, AnyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Stack.Outputs(ctx, showSecrets)
}

// GuardedNames returns the resources in the stack's state that an update replaces or deletes only if UpOptions.Allow
// names them.
func (s *Stack) GuardedNames(ctx context.Context) ([]string, error) {
	return s.names(ctx, func(ctx context.Context, r *Operation) ([]string, error) {
		resources, err := r.Stack.Resources(ctx)
		var names []string
		for _, resource := range resources {
			metadata, _ := resource.Inputs["metadata"].(map[string]any)
			object, _ := metadata["name"].(string)
			if record, _ := guarded.Lookup(string(resource.Type), object); record.Guarded() {
				names = append(names, resource.URN.Name())
			}
		}
		slices.Sort(names)
		return slices.Compact(names), err
	})
}

// ConflictKeys returns the config keys of fields that other clients of the management cluster hold, and that
// UpOptions.Overwrite gives the file's values.
func (s *Stack) ConflictKeys(ctx context.Context) ([]string, error) {
	return s.names(ctx, func(ctx context.Context, r *Operation) ([]string, error) { return r.Conflicts.Overwritable(ctx) })
}

// Candidates returns the IDs in AWS between which RepairOptions.IDs decides.
func (s *Stack) Candidates(ctx context.Context) ([]string, error) {
	return s.names(ctx, func(ctx context.Context, r *Operation) ([]string, error) { return r.Recovery.Candidates(ctx) })
}

// names returns names that a stack has. It changes nothing.
func (s *Stack) names(ctx context.Context, read func(context.Context, *Operation) ([]string, error)) ([]string, error) {
	ctx, r, err := s.Begin(ctx, gates.Preview, OpenOptions{Mode: MustExist, AnyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return read(ctx, r)
}

// List lists the stacks of the session's project: those with a file, and those that the backend has under the project's
// name.
func List(ctx context.Context, s *workspace.Session) ([]backend.Stack, error) {
	found, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if !found[i].HasFile {
			continue
		}
		file, err := s.Project.LoadStack(found[i].Name)
		if err != nil {
			found[i].Fault = err.Error()
			continue
		}
		found[i].Kind, found[i].Region = string(file.Kind), file.Region
	}
	return found, nil
}

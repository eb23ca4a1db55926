package automation

import (
	"cmp"
	"context"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
)

// StackInfo is a stack of a project that has a file, a state or both.
type StackInfo struct {
	operation.StackInfo
	// Kind and Region are the values in the file, "" if it has faults or is missing.
	Kind   string `json:"kind"`
	Region string `json:"region"`
	// Offline is true for a stack in memory.
	Offline bool `json:"offline"`
}

// List lists the stacks of the project: those with a file, and those that the backend has under the project's name.
func (p *Project) List(ctx context.Context) ([]StackInfo, error) {
	session, err := p.share(ctx, cmp.Or(p.options.Interrupts, engine.NewInterrupts()))
	if err != nil {
		return nil, err
	}
	found, err := session.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]StackInfo, len(found))
	for i, info := range found {
		list[i] = StackInfo{StackInfo: info, Offline: p.options.Offline}
		if file, err := p.project.LoadStack(info.Name); err == nil {
			list[i].Kind, list[i].Region = string(file.Kind), file.Region
		}
	}
	return list, nil
}

// GuardedNames returns the resources in the stack's state that Up replaces or deletes only if UpOptions.Allow names them.
func (s *Stack) GuardedNames(ctx context.Context) ([]string, error) {
	return s.names(ctx, func(ctx context.Context, r *run) ([]string, error) {
		resources, err := r.Resources(ctx)
		var guarded []string
		for _, resource := range resources {
			if record, known := awstype.Of(string(resource.Type)); known && record.Guarded {
				guarded = append(guarded, resource.URN.Name())
			}
		}
		slices.Sort(guarded)
		return slices.Compact(guarded), err
	})
}

// HeldKeys returns the config keys of fields that other clients of the management cluster hold, and that UpOptions.Take gives the file's values.
func (s *Stack) HeldKeys(ctx context.Context) ([]string, error) {
	return s.names(ctx, func(ctx context.Context, r *run) ([]string, error) { return r.Takeable(ctx) })
}

// Candidates returns the IDs in AWS between which RecoverOptions.Take decides.
func (s *Stack) Candidates(ctx context.Context) ([]string, error) {
	return s.names(ctx, func(ctx context.Context, r *run) ([]string, error) { return r.Stack.Candidates(ctx) })
}

// names returns names that a stack has. It changes nothing.
func (s *Stack) names(ctx context.Context, read func(context.Context, *run) ([]string, error)) ([]string, error) {
	ctx, r, err := s.begin(ctx, gate.Preview, opening{mode: operation.MustExist, anyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.close()
	return read(ctx, r)
}

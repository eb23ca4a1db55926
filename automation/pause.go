package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/features/pause"
)

// Pause lets the node pools of the stack's hosted cluster have no nodes: it writes the key nodesPausedSince into the
// stack's file, and is an Up with the same gates. The numbers of nodes stay in the file. A cluster that is being
// upgraded or deleted, with AutoNode, or with data in the instance stores of its nodes is refused. If nothing was
// changed, because the update was refused or not confirmed, the file is as it was before. The same call continues what
// was interrupted.
func (s *Stack) Pause(ctx context.Context, o UpOptions) (*UpResult, error) {
	return s.pause(ctx, false, o)
}

// Resume takes the key away again, and is an Up: the node pools have as many nodes as the file says.
func (s *Stack) Resume(ctx context.Context, o UpOptions) (*UpResult, error) {
	return s.pause(ctx, true, o)
}

func (s *Stack) pause(ctx context.Context, resume bool, o UpOptions) (*UpResult, error) {
	core := s.core()
	defer s.named(core)
	result, err := pause.Run(ctx, core, pause.Options{Resume: resume, Up: o.core(s.project)})
	return (*UpResult)(result), err
}

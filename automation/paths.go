package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths"
)

// Path is a path of traffic or of a DNS name, hop by hop, up to the first hop that breaks: Broken returns it.
type Path = status.Path

// PathsOptions configure Paths.
type PathsOptions struct {
	// Live refreshes the state first, to include changes made in AWS.
	Live bool
}

// Paths checks the paths of traffic and DNS names through the resources in the stack's state. It returns all of them,
// and fails with Failed if one is broken.
func (s *Stack) Paths(ctx context.Context, o PathsOptions) ([]Path, error) {
	core := s.core()
	defer s.named(core)
	return paths.Run(ctx, core, paths.Options(o))
}

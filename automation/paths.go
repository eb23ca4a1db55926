package automation

import (
	"context"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Path is a path of traffic or of a DNS name, hop by hop, up to the first hop that breaks: Broken returns it.
type Path = status.Path

// PathsOptions configure Paths.
type PathsOptions struct {
	// Live refreshes the state first, to include changes made in AWS.
	Live bool
}

// Paths checks the paths of traffic and DNS names through the resources in the stack's state. It returns all of them, and fails with
// Failed if one is broken.
func (s *Stack) Paths(ctx context.Context, o PathsOptions) ([]Path, error) {
	asked := gates.Preview
	if o.Live {
		asked = gates.Refresh
	}
	ctx, r, err := s.begin(ctx, asked, opening{mode: operation.MustExist, identify: o.Live})
	if err != nil {
		return nil, err
	}
	defer r.close()
	if o.Live {
		if _, err := r.Engine.Refresh(ctx, false); err != nil {
			return nil, err
		}
	}
	paths, err := r.Cluster.Paths(ctx)
	if err != nil {
		return nil, err
	}
	var broken []string
	for _, path := range paths {
		if hop := path.Broken(); hop != nil {
			broken = append(broken, fmt.Sprintf("%s at the %s: %s", path.Name, hop.Kind, hop.Why))
		}
	}
	if len(broken) == 0 {
		return paths, nil
	}
	return paths, &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("%s of stack %s %s broken:\n  %s", report.Number(len(broken), "path"), r.Stack.Name, report.Are(len(broken)), strings.Join(broken, "\n  ")),
		Remedy:  fmt.Sprintf("run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`, which creates what is missing", r.Stack.Name, r.Stack.Name),
	}
}

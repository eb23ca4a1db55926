package paths

import (
	"context"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// Options configure Run.
type Options struct {
	// Live refreshes the state first, to include changes made in AWS.
	Live bool
}

// Run follows the paths through the resources in a stack's state: see automation.Stack.Paths.
func Run(ctx context.Context, s *run.Stack, o Options) ([]status.Path, error) {
	verb := gates.Preview
	if o.Live {
		verb = gates.Refresh
	}
	ctx, r, err := s.Begin(ctx, verb, run.OpenOptions{Mode: run.MustExist, Identify: o.Live})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if o.Live {
		if _, err := r.Engine.Refresh(ctx, false); err != nil {
			return nil, err
		}
	}
	followed, err := Deployed(ctx, r.Stack)
	if err != nil {
		return nil, err
	}
	return followed, broken(r.Stack.Name, followed)
}

// broken returns the error of a stack with broken paths, nil if there are none.
func broken(stack string, followed []status.Path) error {
	var list []string
	for _, path := range followed {
		if hop := path.Broken(); hop != nil {
			list = append(list, fmt.Sprintf("%s at the %s: %s", path.Name, hop.Kind, hop.Why))
		}
	}
	if len(list) == 0 {
		return nil
	}
	n := len(list)
	return &failure.Error{
		Reason: failure.Failed,
		Problem: fmt.Sprintf("%s of stack %s %s broken:\n  %s",
			report.Number(n, "path"), stack, report.Are(n), strings.Join(list, "\n  ")),
		Remedy: fmt.Sprintf("run `hypershift-aws refresh -s %[1]s` and then `hypershift-aws up -s %[1]s`, which creates what "+
			"is missing", stack),
	}
}

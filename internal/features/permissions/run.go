package permissions

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// Options configure Run.
type Options struct {
	// Part selects the policies for a part of a stack of kind cluster, "" for the whole stack.
	Part policy.Part
}

// Run returns the policies that a user needs to run a stack: see automation.Stack.Permissions.
func Run(ctx context.Context, s *run.Stack, o Options) ([]policy.Needed, error) {
	file, err := s.Load("")
	if err != nil {
		return nil, err
	}
	ctx, r, err := s.Start(ctx, gates.Preview)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	needs, err := Needs(ctx, &r.Session, s.Name, file, o.Part)
	if err != nil {
		return nil, err
	}
	policies, err := permissions.Policies(needs)
	if err != nil {
		return nil, fmt.Errorf("writing the policies for stack %s: %w", s.Name, err)
	}
	return policies, nil
}

// OfOperation lists the needs of the stack of an operation.
func OfOperation(ctx context.Context, r *run.Operation) ([]permissions.Need, error) {
	return Needs(ctx, &r.Session, r.Stack.Name, r.Stack.File, "")
}

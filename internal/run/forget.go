package run

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	api "github.com/hypershift-aws/hypershift-aws/api/operation"
)

// ForgetOptions configure Forget.
type ForgetOptions struct {
	// Decide is asked for the stack's name before its state changes.
	Decide api.Decide
	// RemoveState also removes the stack's state and its history, and with it the record of the management cluster that
	// has the stack's cluster.
	RemoveState bool
}

// Forget removes all resources from the stack's state, and changes nothing in AWS or in the management cluster. It
// returns the resources.
func (s *Stack) Forget(ctx context.Context, o ForgetOptions) ([]apitype.ResourceV3, error) {
	ctx, r, err := s.Begin(ctx, gates.Forget, OpenOptions{Mode: MustExist, AnyFile: true, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.StopAt(ctx, r.Unfinished(), r.Unused()); err != nil {
		return nil, err
	}
	if err := keysExist(ctx, r.Stack, r.Connection, r.Verb); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("This removes all resources from the state of stack %s, and keeps them in AWS. Enter the stack's name: ",
		r.Stack.Name)
	if err := r.Ask(ctx, o.Decide, api.Question{Text: text, Name: r.Stack.Name}); err != nil {
		return nil, err
	}
	released, err := r.Release(ctx, o.RemoveState)
	if err != nil {
		return nil, err
	}
	return released, r.RemoveState(ctx, o.RemoveState)
}

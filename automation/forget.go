package automation

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// ForgetOptions configure Forget.
type ForgetOptions struct {
	// Decide is asked for the stack's name before its state changes.
	Decide Decide
	// RemoveState also removes the stack's empty state and its history.
	RemoveState bool
}

// ForgottenResource is a resource that a stack no longer owns, and that continues to exist.
type ForgottenResource struct {
	// ResourceType is the type's token, Name the name in the program, and ID the one in AWS or in the management cluster.
	ResourceType string `json:"resourceType"`
	Name         string `json:"name"`
	ID           string `json:"id"`
}

// Forget removes all resources from the stack's state, and changes nothing in AWS or in the management cluster: the reverse of adopt. It
// returns the resources.
func (s *Stack) Forget(ctx context.Context, o ForgetOptions) ([]ForgottenResource, error) {
	ctx, r, err := s.begin(ctx, gates.Forget, run.OpenOptions{Mode: run.MustExist, AnyFile: true, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.StopAt(ctx, r.Unfinished(), r.Unused()); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("This removes all resources from the state of stack %s, and keeps them in AWS. Enter the stack's name: ", r.Stack.Name)
	if err := r.Ask(ctx, o.Decide, Question{Text: text, Name: r.Stack.Name}); err != nil {
		return nil, err
	}
	held, err := r.Release(ctx)
	if err != nil {
		return nil, err
	}
	var released []ForgottenResource
	for _, h := range held {
		released = append(released, ForgottenResource{ResourceType: string(h.Type), Name: h.URN.Name(), ID: string(h.ID)})
	}
	return released, r.RemoveState(ctx, o.RemoveState)
}

// RepairOptions configure Repair.
type RepairOptions struct {
	// Take are the IDs in AWS of resources that the interrupted run created, where there are several candidates.
	Take []string
	// RestoreState restores the newest copy of an incomplete state, even if it may lack resources.
	RestoreState bool
}

// Repair adds to the state what an interrupted run created, and reads again what it was changing or deleting. Nothing in AWS changes. Up and
// Destroy do the same before they begin. If AWS has several candidates for a resource, nothing is changed, and the error wraps an
// AmbiguousError.
func (s *Stack) Repair(ctx context.Context, o RepairOptions) ([]Recovered, error) {
	// Like a refresh it reads objects into the state.
	ctx, r, err := s.begin(ctx, gates.Refresh, run.OpenOptions{Mode: run.MustExist, AnyFile: true, RestoreState: o.RestoreState, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	found, err := r.Recovery.Recover(ctx, o.Take...)
	if err == nil && len(found) == 0 {
		r.Say("stack %s: no interrupted creations", r.Stack.Name)
	}
	return found, err
}

// Lock is a lock of a stack: who took it and when, and whether that process still runs.
type Lock = backend.Lock

// CancelOptions configure Cancel.
type CancelOptions struct {
	// Running releases the lock even if the process that took it runs on this machine.
	Running bool
}

// CancelResult is what Cancel did.
type CancelResult struct {
	// Stack is the stack's name.
	Stack string
	// Locks are the locks that were released. They are unknown if Shown is false: the backend does not show its locks.
	Locks []Lock
	Shown bool
}

// Cancel releases the lock that an interrupted operation left on the stack. Stop an operation that still runs first: without its lock two
// operations could write the same state.
func (s *Stack) Cancel(ctx context.Context, o CancelOptions) (*CancelResult, error) {
	ctx, r, err := s.begin(ctx, gates.Preview, run.OpenOptions{Mode: run.MustExist, AnyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	result := &CancelResult{Stack: r.Stack.Name, Shown: r.Stack.ShowsLocks()}
	locks, err := r.Stack.Locks()
	if err != nil {
		return result, err
	}
	for _, lock := range locks {
		result.Locks = append(result.Locks, lock.Lock)
	}
	for _, lock := range result.Locks {
		r.Say("stack %s is locked by %s", r.Stack.Name, lock)
		if lock.Alive && !o.Running {
			return result, &failure.Error{
				Reason:  failure.Conflict,
				Problem: fmt.Sprintf("process %d is still running on this machine", lock.Process),
				Remedy:  "stop it there with Ctrl-C and let it finish",
			}
		}
	}
	return result, run.Cancel(ctx, r.Stack)
}

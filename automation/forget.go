package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// ForgetOptions configure Forget.
type ForgetOptions struct {
	// Decide is asked for the stack's name before its state changes.
	Decide Decide
	// RemoveState also removes the stack's state and its history, and with it the record of the management cluster that
	// has the stack's cluster.
	RemoveState bool
}

// ForgottenResource is a resource that a stack no longer owns, and that continues to exist.
type ForgottenResource struct {
	// ResourceType is the type's token, Name the name in the program, and ID the one in AWS or in the management cluster.
	ResourceType string `json:"resourceType"`
	Name         string `json:"name"`
	ID           string `json:"id"`
}

// Forget removes all resources from the stack's state, and changes nothing in AWS or in the management cluster: the
// reverse of adopt. It returns the resources.
func (s *Stack) Forget(ctx context.Context, o ForgetOptions) ([]ForgottenResource, error) {
	core := s.core()
	defer s.named(core)
	released, err := core.Forget(ctx, run.ForgetOptions(o))
	var list []ForgottenResource
	for _, r := range released {
		list = append(list, ForgottenResource{ResourceType: string(r.Type), Name: r.URN.Name(), ID: string(r.ID)})
	}
	return list, err
}

// RepairOptions configure Repair.
type RepairOptions struct {
	// Take are the IDs in AWS of resources that the interrupted run created, where there are several candidates.
	Take []string
	// RestoreState restores the newest copy of an incomplete state, even if it may lack resources.
	RestoreState bool
}

// Repair adds to the state what an interrupted run created, and reads again what it was changing or deleting. Nothing
// in AWS changes. Up and Destroy do the same before they begin. If AWS has several candidates for a resource, nothing
// is changed, and the error wraps an AmbiguousError.
func (s *Stack) Repair(ctx context.Context, o RepairOptions) ([]Recovered, error) {
	core := s.core()
	defer s.named(core)
	return core.Repair(ctx, run.RepairOptions{IDs: o.Take, RestoreState: o.RestoreState})
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

// Cancel releases the lock that an interrupted operation left on the stack. Stop an operation that still runs first:
// without its lock two operations could write the same state.
func (s *Stack) Cancel(ctx context.Context, o CancelOptions) (*CancelResult, error) {
	core := s.core()
	defer s.named(core)
	result, err := core.Cancel(ctx, run.CancelOptions(o))
	return (*CancelResult)(result), err
}

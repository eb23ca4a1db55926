package run

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/run/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// RepairOptions configure Repair.
type RepairOptions struct {
	// IDs are those in AWS of resources that the interrupted run created, where there are several candidates.
	IDs []string
	// RestoreState restores the newest copy of an incomplete state, even if it may lack resources.
	RestoreState bool
}

// Repair adds to the state what an interrupted run created, and reads again what it was changing or deleting. Nothing
// in AWS changes. Up and Destroy do the same before they begin.
func (s *Stack) Repair(ctx context.Context, o RepairOptions) ([]takeover.Found, error) {
	// Like a refresh it reads objects into the state.
	ctx, r, err := s.Begin(ctx, gates.Refresh, OpenOptions{
		Mode: MustExist, AnyFile: true, RestoreState: o.RestoreState, Identify: true,
	})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	found, err := r.Recovery.Recover(ctx, o.IDs...)
	if err == nil && len(found) == 0 {
		r.Say("stack %s: no interrupted creations", r.Stack.Name)
	}
	return found, err
}

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
	Locks []backend.Lock
	Shown bool
}

// Cancel releases the lock that an interrupted operation left on the stack.
func (s *Stack) Cancel(ctx context.Context, o CancelOptions) (*CancelResult, error) {
	ctx, r, err := s.Begin(ctx, gates.Preview, OpenOptions{Mode: MustExist, AnyFile: true})
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
	return result, Cancel(ctx, r.Stack)
}

// Cancel releases the stack's lock, including a lock of another process.
func Cancel(ctx context.Context, s *workspace.Stack) error {
	if _, err := s.Run(ctx, "cancel", "--yes", "--stack", s.Name); err != nil {
		return s.Classify(err)
	}
	if err := s.CurrentState(ctx); err != nil {
		return err
	}
	if s.ShowsLocks() || len(s.State.Pending) == 0 {
		return nil
	}
	return recovery.NewJournal(s.WorkDir).Cancelled(s.State.Written())
}

package automation

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// Lock is a lock of a stack: who took it and when, and whether that process still runs.
type Lock = state.Lock

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
	ctx, r, err := s.begin(ctx, gate.Preview, opening{mode: operation.MustExist, anyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.close()
	result := &CancelResult{Stack: r.Name, Shown: r.ShowsLocks()}
	if result.Locks, err = r.Locks(); err != nil {
		return result, err
	}
	for _, lock := range result.Locks {
		r.say("stack %s is locked by %s", r.Name, lock)
		if lock.Alive && !o.Running {
			return result, &failure.Error{
				Reason:  failure.Conflict,
				Problem: fmt.Sprintf("process %d is still running on this machine", lock.Process),
				Remedy:  "stop it there with Ctrl-C and let it finish",
			}
		}
	}
	return result, r.Stack.Cancel(ctx)
}

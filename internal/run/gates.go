package run

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
)

// before returns the gates that an update asks before its preview.
func (r *Operation) before() []gate.Gate {
	return []gate.Gate{gate.WithCheck(gate.NameServer, gate.Refuses(r.Checker.CheckManagementCluster)), r.Inherited()}
}

// Inherited returns the gate of a value that clusters took from a management stack.
func (r *Operation) Inherited() gate.Gate {
	return gate.WithCheck(gate.NameInherited, gate.Refuses(func(ctx context.Context) error { return users.CheckInherited(ctx, r.Stack) }))
}

// Unused returns the gate of an operation that removes a stack that others use from the backend. Its resources stay.
func (r *Operation) Unused() gate.Gate {
	return gate.WithCheck(gate.NameUsers, gate.Refuses(func(ctx context.Context) error { return users.CheckUnused(ctx, r.Stack, true) }))
}

// Unfinished returns the gate of an operation that neither recovers nor keeps what an earlier run left unfinished.
func (r *Operation) Unfinished() gate.Gate {
	return gate.WithCheck(gate.NameUnfinished, gate.Refuses(func(ctx context.Context) error {
		interrupted, searching, err := r.Recovery.Unfinished(ctx)
		if err != nil || !interrupted && !searching {
			return err
		}
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: "an earlier run of stack " + r.Stack.Name + " was interrupted: resources that it created may be missing in the state; nothing was changed",
			Remedy: "run `hypershift-aws repair -s " + r.Stack.Name + "` first. For an hour, it searches again for what it does not find; if you know that this was not created, run `hypershift-aws refresh " +
				"--forget-pending -s " + r.Stack.Name + "`, which ends the search",
		}
	}))
}

// guard returns the gate of a plan that replaces or deletes what a running cluster depends on.
func (r *Operation) guard(p *Planned) gate.Gate {
	return gate.WithCheck(gate.NameGuard, gate.Refuses(func(context.Context) error { return p.guard }))
}

// Objects returns the gate that compares a plan's objects with the management cluster.
func (r *Operation) Objects(p *changes.Plan) gate.Gate {
	return gate.WithCheck(gate.NameObjects, gate.Refuses(func(ctx context.Context) error { return r.Checker.CheckPlan(ctx, p) }))
}

package run

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
)

// before returns the gates that an update asks before its preview.
func (r *Operation) before() []gate.Gate {
	return []gate.Gate{gate.New(plancheck.ServerGate(), gate.Refuses(r.Checker.CheckManagementCluster)), r.Inherited()}
}

// Inherited returns the gate of a value that clusters took from a management stack.
func (r *Operation) Inherited() gate.Gate {
	return gate.New(users.InheritedGate(), gate.Refuses(func(ctx context.Context) error {
		return users.CheckInherited(ctx, r.Stack)
	}))
}

// Unused returns the gate of an operation that removes a stack that others use from the backend. Its resources stay.
func (r *Operation) Unused() gate.Gate {
	return gate.New(users.UnusedGate(), gate.Refuses(func(ctx context.Context) error {
		return users.CheckUnused(ctx, r.Stack, true)
	}))
}

// Unfinished returns the gate of an operation that neither recovers nor keeps what an earlier run left unfinished.
func (r *Operation) Unfinished() gate.Gate {
	return gate.New(UnfinishedGate(), gate.Refuses(r.Recovery.CheckFinished))
}

// guard returns the gate of a plan that replaces or deletes what a running cluster depends on.
func (r *Operation) guard(p *Planned) gate.Gate {
	return gate.New(plan.GuardGate(), gate.Refuses(func(context.Context) error { return p.guard }))
}

// Objects returns the gate that compares a plan's objects with the management cluster.
func (r *Operation) Objects(p *changes.Plan) gate.Gate {
	return gate.New(plancheck.ObjectsGate(), gate.Refuses(func(ctx context.Context) error {
		return r.Checker.CheckPlan(ctx, p)
	}))
}

// Deletions returns the gate that asks the management cluster whether it lets a destroy delete its objects.
func (r *Operation) Deletions(p *changes.Plan) gate.Gate {
	return gate.New(plancheck.ObjectsGate(), gate.Refuses(func(ctx context.Context) error {
		return r.Checker.CheckDestroy(ctx, p)
	}))
}

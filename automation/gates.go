package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/relocate"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/savedplan"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Gates describes all gates, in the order in which operations ask them.
func Gates() []Gate {
	return []Gate{
		gate.IdentityGate(), gate.TargetGate(), run.UnfinishedGate(), users.UnusedGate(), plancheck.ServerGate(),
		users.InheritedGate(), life.Gate(), consentGate(), plan.GuardGate(), policy.Gate(), plancheck.ObjectsGate(),
		plancheck.QuotasGate(), savedplan.Gate(), relocate.Gate(),
	}
}

// consentGate describes the gate of named.
func consentGate() gates.Gate {
	return gates.Gate{
		Name: "consent",
		Refuses: "the deletion of the cluster in the stack's state, or of node pools of a living one, unless its " +
			"name is entered or is the value of --cluster, because --yes alone must not delete a cluster or its nodes",
		WayOn:      "`--cluster`",
		Operations: []gates.Operation{gates.Destroy},
		Cost:       gates.CostFree,
	}
}

// before returns the gates that an update asks before its preview.
func (r *operation) before() []gate.Gate {
	return []gate.Gate{gate.New(plancheck.ServerGate(), gate.Refuses(r.Checker.CheckManagementCluster)), r.inherited()}
}

func (r *operation) inherited() gate.Gate {
	return gate.New(users.InheritedGate(), gate.Refuses(func(ctx context.Context) error {
		return users.CheckInherited(ctx, r.Stack)
	}))
}

// unused returns the gate of an operation that removes a stack that others use from the backend. Its resources stay.
func (r *operation) unused() gate.Gate {
	return gate.New(users.UnusedGate(), gate.Refuses(func(ctx context.Context) error {
		return users.CheckUnused(ctx, r.Stack, true)
	}))
}

// unfinished returns the gate of an operation that neither recovers nor keeps what an earlier run left unfinished.
func (r *operation) unfinished() gate.Gate {
	return gate.New(run.UnfinishedGate(), gate.Refuses(r.Recovery.CheckFinished))
}

// judged is a plan that gates check, with the names that the user allowed.
type judged struct {
	plan     *changes.Plan
	forecast *Forecast
	allow    []string
	// mandatory refuses violations of policies.
	mandatory bool
	// objects is true if the management cluster was read, quotas if they are compared.
	objects, quotas bool
	// saved is the saved plan, nil if there is none.
	saved *savedplan.File
}

// ofPlan returns the gates that check the plan of an update.
func (r *operation) ofPlan(j judged) []gate.Gate {
	asked := []gate.Gate{
		gate.New(plan.GuardGate(), gate.Refuses(func(context.Context) error { return r.guard(j.plan, j.allow) })),
		gate.New(policy.Gate(), gate.Refuses(func(context.Context) error {
			if !j.mandatory && r.Stack.File.Policy != config.PolicyMandatory {
				return nil
			}
			return policy.Violations(j.forecast.Policies, "the plan of stack "+r.Stack.Name, "nothing was changed", config.WaiversKey)
		})),
	}
	if j.objects {
		asked = append(asked, r.objects(j.plan))
	}
	if j.quotas {
		check := func(ctx context.Context, operation Operation) (gate.Answer, error) {
			return r.Checker.CheckQuotas(ctx, j.plan, operation)
		}
		asked = append(asked, gate.New(plancheck.QuotasGate(), check))
	}
	if j.saved != nil {
		asked = append(asked, gate.New(savedplan.Gate(), gate.Refuses(func(ctx context.Context) error {
			found, err := r.Engine.Drift(ctx)
			if err != nil {
				return err
			}
			return j.saved.CheckAgainst(&savedplan.File{Stack: r.Stack.Name, Engine: j.plan.Engine, Drift: plan.Drift(found)})
		})))
	}
	return asked
}

// guard returns the guard's error for an update.
func (r *operation) guard(p *changes.Plan, allow []string) error {
	return plan.Guard(p, r.Stack.Name, allow, r.Stack.File.Allows)
}

// objects returns the gate that compares a plan's objects with the management cluster.
func (r *operation) objects(p *changes.Plan) gate.Gate {
	return gate.New(plancheck.ObjectsGate(), gate.Refuses(func(ctx context.Context) error { return r.Checker.CheckPlan(ctx, p) }))
}

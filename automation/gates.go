package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/savedplan"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// before returns the gates that an update asks before its preview.
func (r *operation) before() []gate.Gate {
	return []gate.Gate{gate.WithCheck(gate.NameServer, gate.Refuses(r.Checker.CheckManagementCluster)), r.inherited()}
}

func (r *operation) inherited() gate.Gate {
	return gate.WithCheck(gate.NameInherited, gate.Refuses(func(ctx context.Context) error { return users.CheckInherited(ctx, r.Stack) }))
}

// unused returns the gate of an operation that removes a stack that others use from the backend. Its resources stay.
func (r *operation) unused() gate.Gate {
	return gate.WithCheck(gate.NameUsers, gate.Refuses(func(ctx context.Context) error { return users.CheckUnused(ctx, r.Stack, true) }))
}

// unfinished returns the gate of an operation that neither recovers nor keeps what an earlier run left unfinished.
func (r *operation) unfinished() gate.Gate {
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
		gate.WithCheck(gate.NameGuard, gate.Refuses(func(context.Context) error { return r.guard(j.plan, j.allow) })),
		gate.WithCheck(gate.NamePolicies, gate.Refuses(func(context.Context) error {
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
		asked = append(asked, gate.WithCheck(gate.NameQuotas, func(ctx context.Context, operation Operation) (gate.Answer, error) {
			report, err := r.preflight().PreflightQuick(ctx, j.plan, operation == gates.Preview)
			if err != nil {
				return gate.Answer{}, err
			}
			answer := gate.Answer{Refused: report.Err(r.Stack.Name)}
			for _, f := range finding.Merge(report.Findings) {
				if f.Severity == finding.Warning {
					answer.Warnings = append(answer.Warnings, "preflight: "+f.String())
				}
			}
			return answer, nil
		}))
	}
	if j.saved != nil {
		asked = append(asked, gate.WithCheck(gate.NameSavedPlan, gate.Refuses(func(ctx context.Context) error {
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
	return gate.WithCheck(gate.NameObjects, gate.Refuses(func(ctx context.Context) error { return r.Checker.CheckPlan(ctx, p) }))
}

package automation

import (
	"github.com/hypershift-aws/hypershift-aws/internal/features/backup"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/features/policies"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/features/relocate"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/savedplan"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
)

// estimates returns the features that fill the forecast of a plan.
func (p *Project) estimates(mandatoryPolicies bool) run.Features {
	return run.Features{
		&forecast.Feature{Prices: p.prices},
		&policies.Feature{Mandatory: mandatoryPolicies},
	}
}

// features returns the features that take part in an update, by its options.
func (o UpOptions) features(p *Project) run.Features {
	return append(p.estimates(o.MandatoryPolicies), &preflight.QuotaCheck{Skip: o.SkipQuotas},
		&review.Feature{Plan: o.Plan})
}

// features returns the features that take part in a preview.
func (o PreviewOptions) features(p *Project) run.Features {
	return append(p.estimates(o.MandatoryPolicies), &preflight.QuotaCheck{Skip: o.SkipQuotas},
		&review.Feature{Save: o.SavePlan})
}

// features returns the features that take part in a deletion.
func (o DestroyOptions) features(p *Project) run.Features {
	return append(p.estimates(false), &backup.Schedules{}, &sweep.Leftovers{Data: o.Data, Keep: o.KeepLeftovers})
}

// Gates describes all gates, in the order in which operations ask them.
func Gates() []Gate {
	return []Gate{
		gate.IdentityGate(), gate.TargetGate(), run.UnfinishedGate(), users.UnusedGate(), plancheck.ServerGate(),
		users.InheritedGate(), life.Gate(), run.OthersGate(), run.ConsentGate(), plan.GuardGate(), policy.Gate(),
		plancheck.ObjectsGate(),
		preflight.QuotasGate(), savedplan.Gate(), relocate.Gate(),
	}
}

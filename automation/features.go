package automation

import (
	"github.com/hypershift-aws/hypershift-aws/internal/features/backup"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/features/policies"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
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

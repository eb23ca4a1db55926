package preflight

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// QuotaCheck compares a plan with the quotas of its accounts.
type QuotaCheck struct {
	run.NoFeature

	// Skip leaves it out.
	Skip bool
}

var _ run.Feature = (*QuotaCheck)(nil)

// Gates implements run.Feature.
func (q *QuotaCheck) Gates(r *run.Operation, p *run.Planned) []gate.Gate {
	if q.Skip {
		return nil
	}
	return []gate.Gate{gate.WithCheck(gate.NameQuotas, func(ctx context.Context, verb gates.Operation) (gate.Answer, error) {
		report, err := (&Checker{Checker: r.Checker}).PreflightQuick(ctx, p.Plan, verb == gates.Preview)
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
	})}
}

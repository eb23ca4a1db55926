// Package preflight checks, before anything is created, whether AWS and the management cluster will accept what a
// stack's plan creates: credentials, permissions, quotas, zones, names, networks and DNS. It only reads. It is for the
// command of that name, and for commands that are about to create something.
package preflight

import (
	"context"

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
	return []gate.Gate{gate.New(QuotasGate(), func(ctx context.Context, verb gates.Operation) (gate.Answer, error) {
		return (&Checker{Checker: r.Checker}).CheckQuotas(ctx, p.Plan, verb)
	})}
}

package automation

import (
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/features/relocate"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/savedplan"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
)

// Gates describes all gates, in the order in which operations ask them.
func Gates() []Gate {
	return []Gate{
		gate.IdentityGate(), gate.TargetGate(), run.UnfinishedGate(), users.UnusedGate(), plancheck.ServerGate(),
		users.InheritedGate(), life.Gate(), run.OthersGate(), run.ConsentGate(), plan.GuardGate(), policy.Gate(),
		plancheck.ObjectsGate(),
		preflight.QuotasGate(), savedplan.Gate(), relocate.Gate(),
	}
}

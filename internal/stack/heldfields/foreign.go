package heldfields

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
)

// LeaveForeign keeps what others have set in the objects that a plan updates, and in those that it adopts.
func (h *Conflicts) LeaveForeign(ctx context.Context, p *changes.Plan, adopts bool) error {
	if p == nil || binding.AppliedBy(h.Stack.File) == nil {
		return nil
	}
	var objects []clusterstatus.Updated
	var makers []string
	if adopts {
		makers = []string{clusterstatus.CLIManager}
	}
	for _, step := range plan.Listed(p) {
		switch {
		case adopts && (step.Change == changes.Update || step.Change == changes.Import):
			objects = append(objects, clusterstatus.Updated{Type: step.Type, Applied: step.New})
		case step.Change == changes.Update:
			objects = append(objects, clusterstatus.Updated{Type: step.Type, Applied: step.New, Former: step.Old})
		}
	}
	if len(objects) == 0 {
		return nil
	}
	return h.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		return clusterstatus.LeaveForeign(ctx, api, objects, func(text string) { h.Stack.Say("%s", text) }, makers...)
	})
}

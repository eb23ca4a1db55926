package heldfields

import (
	"context"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// Updated is an object that an update applies again.
type Updated struct {
	// Type is its type in Pulumi.
	Type string
	// Applied are the fields that the update sets, and Former the fields that the last update set, nil if the stack adopts the object.
	Applied, Former props.Map
}

// fieldLeaver is the part of a management cluster that keeps fields from being removed.
type fieldLeaver interface {
	LeaveFields(ctx context.Context, of, applied, former map[string]any, makers ...string) ([]string, error)
}

// LeaveForeign keeps the objects of an update from losing what others have set in them with kubectl and the stack does not set, and says what is kept.
// Nothing but the managers of such fields changes. What makers have set in an object that the stack adopts counts as kubectl's.
func LeaveForeign(ctx context.Context, api fieldLeaver, objects []Updated, say func(text string), makers ...string) error {
	for _, o := range objects {
		if !strings.HasPrefix(o.Type, "kubernetes:") || strings.HasSuffix(o.Type, "Patch") {
			continue
		}
		of := o.Former
		if of == nil {
			of = o.Applied
		}
		left, err := api.LeaveFields(ctx, of, o.Applied, o.Former, makers...)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			say(fmt.Sprintf("%s %s keeps what was set with kubectl and is not in the stack's file: %s", of.String("kind"), NameOf(of), strings.Join(left, ", ")))
		}
	}
	return nil
}

// LeaveForeign keeps what others have set in the objects that a plan updates, and in those that it adopts.
func (h *Held) LeaveForeign(ctx context.Context, p *changes.Plan, adopts bool) error {
	if p == nil || binding.AppliedBy(h.Stack.File) == nil {
		return nil
	}
	var objects []Updated
	var makers []string
	if adopts {
		makers = []string{clusterstatus.CLIManager}
	}
	for _, step := range plan.Listed(p) {
		switch {
		case adopts && (step.Change == changes.Update || step.Change == changes.Import):
			objects = append(objects, Updated{Type: step.Type, Applied: step.New})
		case step.Change == changes.Update:
			objects = append(objects, Updated{Type: step.Type, Applied: step.New, Former: step.Old})
		}
	}
	if len(objects) == 0 {
		return nil
	}
	return h.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		return LeaveForeign(ctx, api, objects, func(text string) { h.Stack.Say("%s", text) }, makers...)
	})
}

package run

import (
	"context"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// forgetMissing removes from the state what AWS no longer has: the engine reads it again.
func (r *Engine) forgetMissing(ctx context.Context, o *engineRun) error {
	for _, of := range o.propagation.missing {
		r.Stack.Say("AWS no longer has %s %s: removing it from the state",
			report.TypeName(string(urn.URN(of).Type())), urn.URN(of).Name())
	}
	missing := o.propagation.missing
	o.propagation.missing, o.propagation.forgotten = nil, true
	o.said = map[string]bool{}
	return r.Recovery.recovered(ctx).Read(ctx, missing)
}

// awaitPropagation waits before a further run of the engine; attempt counts them. It reports false if a signal ended
// the wait.
func (r *Engine) awaitPropagation(ctx context.Context, o *engineRun, attempt int) bool {
	waits := propagationWaits()
	var referring, unlisted, said []string
	for _, of := range o.propagation.late {
		name := report.TypeName(string(urn.URN(of).Type())) + " " + urn.URN(of).Name()
		if slices.Contains(o.propagation.unlisted, of) {
			unlisted = append(unlisted, name)
		} else {
			referring = append(referring, name)
		}
	}
	slices.Sort(referring)
	slices.Sort(unlisted)
	if len(referring) > 0 {
		said = append(said, "return yet what "+strings.Join(referring, ", ")+" refers to")
	}
	if len(unlisted) > 0 {
		said = append(said, "list yet the new "+strings.Join(unlisted, ", "))
	}
	r.Stack.Say("AWS does not %s: trying again in %s (%d of %d)",
		strings.Join(said, ", and does not "), waits[attempt], attempt+1, len(waits))
	o.propagation.late, o.propagation.unlisted, o.propagation.last = nil, nil, attempt == len(waits)-1
	o.said = map[string]bool{}
	ctx, cancel := r.Stack.Session.Interrupts.Context(ctx)
	defer cancel()
	return r.Stack.Session.Environment.Timing().Wait(ctx, waits[attempt]) == nil
}

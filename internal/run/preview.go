package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	api "github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// PreviewOptions configure Preview.
type PreviewOptions struct {
	// ExpectNoChanges fails with ChangesFound if the plan has changes.
	ExpectNoChanges bool
	// Drift also looks for changes made outside the stack; AlwaysDrift does so if the management cluster does not answer.
	Drift, AlwaysDrift bool
	// Features take part in the preview.
	Features Features
}

// PreviewResult is what Up would do.
type PreviewResult struct {
	// Stack is the stack's name, and File its file. Label is "offline" or, on AWS, "".
	Stack    string
	File     *config.File
	Label    string
	Plan     *changes.Plan
	Forecast *forecast.Forecast
	// Refusals are the gates that would make Up refuse the plan, in the order of gate.All.
	Refusals []api.Refusal
	// Unanswered is the error of a management cluster that does not answer, nil if it answers or there is none: Up would
	// refuse.
	Unanswered error
	// Drift is what was changed outside the stack, if DriftChecked is set.
	Drift        []changes.Difference
	DriftChecked bool
	// Saved is true if a feature saved the plan.
	Saved bool
}

// preview is a preview of a stack.
type preview struct {
	*Operation
	result  *PreviewResult
	refused map[string]error
}

// fails returns the gates whose refusals make a preview fail.
func fails() []string {
	return []string{gate.IdentityGate().Name, users.InheritedGate().Name, policy.Gate().Name}
}

// refuse adds refusals to the result.
func (v *preview) refuse(list ...api.Refusal) {
	for _, one := range list {
		v.refused[one.Gate] = one.Err
		v.Event(&api.Refused{Refusal: one, Fails: slices.Contains(fails(), one.Gate)})
	}
	v.result.Refusals = append(v.result.Refusals, list...)
}

// Preview returns what Up would do, and which gates would refuse it. If the result has no Plan, the stack could not be
// planned. A complete result also has an error if the kubeconfig selects another management cluster, if the plan
// violates mandatory policies or changes a value that clusters took from a management stack, or for ChangesFound.
func (s *Stack) Preview(ctx context.Context, o PreviewOptions) (*PreviewResult, error) {
	ctx, r, err := s.Begin(ctx, gates.Preview, OpenOptions{Mode: MayCreate})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := o.Features.begin(ctx, r); err != nil {
		return nil, err
	}
	result := &PreviewResult{Stack: r.Stack.Name, File: r.Stack.File, Label: r.Session.Environment.Label()}
	v := &preview{Operation: r, result: result, refused: map[string]error{}}
	own, identity := v.askBefore(ctx)
	if o.Drift && (own || identity == nil && o.AlwaysDrift) {
		if err := v.readDrift(ctx); err != nil {
			return result, err
		}
	}
	made, err := r.Engine.Preview(ctx)
	if err != nil {
		return result, errors.Join(identity, r.Checker.Explain(ctx, err))
	}
	planned, err := r.planned(ctx, made, nil, o.Features)
	if err != nil {
		return result, err
	}
	planned.Drift = result.Drift
	result.Plan, result.Forecast = made, planned.Forecast
	asked := []gate.Gate{r.guard(planned)}
	if own && v.refused[plancheck.ServerGate().Name] == nil {
		asked = append(asked, r.Objects(made))
	}
	v.refuse(r.Refusals(ctx, true, o.Features.gates(r, planned, asked...)...)...)
	for _, name := range fails() {
		if v.refused[name] != nil {
			return result, v.refused[name]
		}
	}
	if err := o.Features.ended(ctx, r, planned, nil); err != nil {
		return result, err
	}
	result.Saved = planned.Saved
	switch {
	case o.ExpectNoChanges && made.HasChanges:
		return result, changesFound(r.Stack.Name, made)
	case o.ExpectNoChanges && r.Connection.Unanswered:
		return result, r.unread(result)
	}
	return result, nil
}

// askBefore asks the gates that need no plan. own is true if the management cluster answers and is the stack's;
// identity is why it is another one.
func (v *preview) askBefore(ctx context.Context) (own bool, identity error) {
	reading, _, identity := v.Connection.CheckIdentity(ctx, v.Verb)
	if v.result.Unanswered = reading.Err; identity != nil {
		v.refuse(api.Refusal{Gate: gate.IdentityGate().Name, Err: identity})
	}
	asked := []gate.Gate{v.Inherited()} // what another management cluster has says nothing about the stack's objects
	if own = identity == nil && reading.Err == nil; own {
		asked = v.before()
	}
	v.refuse(v.Refusals(ctx, true, asked...)...)
	return own, identity
}

// readDrift reads what was changed outside the stack.
func (v *preview) readDrift(ctx context.Context) error {
	v.result.DriftChecked = true
	found, err := v.Engine.Drift(ctx)
	if err != nil {
		return err
	}
	v.result.Drift = v.Differences(found)
	v.Event(&api.Drift{Drift: v.result.Drift})
	return nil
}

// unread returns the error of a preview that expected no changes, and did not read the management cluster: what is as
// in the state may differ from what is there.
func (r *Operation) unread(result *PreviewResult) error {
	err := result.Unanswered
	for _, one := range result.Refusals {
		err = cmp.Or(err, one.Err)
	}
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("no changes were expected in stack %s, but its management cluster was not read: %s", r.Stack.Name, err),
		Remedy:  "check " + binding.KubeconfigKey(r.Stack) + ", the network and the credentials in it", Cause: err,
	}
}

package picture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// StackOptions configure OfStack.
type StackOptions struct {
	// Planned draws the stack as it would be after an update. Live refreshes the state first, and draws what differed.
	Planned, Live bool
	// Estimates are the features that fill the forecast of a plan.
	Estimates run.Features
	Prices    func() (price.Table, error)
}

// OfStack draws a stack.
func OfStack(ctx context.Context, s *run.Stack, o StackOptions) (Input, error) {
	verb, opened := gates.Preview, run.OpenOptions{Mode: run.MustExist}
	switch {
	case o.Planned:
		opened.Mode = run.MayCreate
	case o.Live:
		verb, opened.Identify = gates.Refresh, true
	}
	ctx, r, err := s.Begin(ctx, verb, opened)
	if err != nil {
		return Input{}, err
	}
	defer r.Close()
	if !o.Planned {
		return o.ofState(ctx, r)
	}
	planned, err := r.Forecast(ctx, o.Estimates)
	if err != nil {
		return Input{}, err
	}
	in := OfPlan(planned.Forecast, r.Stack.Name, r.Stack.File, planned.Plan)
	in.Accounts = accountsOf(ctx, r)
	return in, nil
}

// accountsOf returns the accounts that the credentials of the stack's providers lead to, nil if they cannot be asked:
// the plan of a new stack has no resource that says its account.
func accountsOf(ctx context.Context, r *run.Operation) map[string]string {
	resolved, err := r.Stack.Providers.Accounts(ctx)
	if err != nil {
		return nil
	}
	byProvider := map[string]string{}
	for _, one := range resolved {
		byProvider[one.Provider] = one.Account
	}
	return byProvider
}

// ofState draws the resources of the stack's state.
func (o StackOptions) ofState(ctx context.Context, r *run.Operation) (Input, error) {
	var gone []apitype.ResourceV3
	var drift map[string]string
	if o.Live {
		before, err := r.Stack.ResourcesAndProviders(ctx)
		if err != nil {
			return Input{}, err
		}
		found, err := r.Engine.Refresh(ctx, false)
		if err != nil {
			return Input{}, err
		}
		drift, gone = drifted(found, before)
	}
	resources, err := r.Stack.ResourcesAndProviders(ctx)
	if err != nil {
		return Input{}, err
	}
	if len(resources) == 0 {
		return Input{}, &failure.Error{
			Reason: failure.Failed, Problem: fmt.Sprintf("stack %s has no resources to draw", r.Stack.Name),
			Remedy: fmt.Sprintf("run `hypershift-aws up -s %s`, or draw what it would create with --planned", r.Stack.Name),
		}
	}
	prices, err := o.Prices()
	if err != nil {
		return Input{}, err
	}
	in, err := OfState(r.Stack.Name, r.Stack.File, resources, prices)
	if err != nil {
		return Input{}, err
	}
	in.Resources = slices.Concat(resources, gone)
	if in.Drift = drift; o.Live {
		in.Subtitle, in.Added = "as it is in AWS", run.AddedResources(ctx, r.Opened)
	}
	if paths.HasNetwork(r.Stack.File) {
		if in.Paths, err = paths.Deployed(ctx, r.Stack); err != nil {
			return Input{}, err
		}
	}
	return in, nil
}

// drifted describes what a refresh found, by URN, and returns the resources that no longer exist.
func drifted(found *changes.Plan, before []apitype.ResourceV3) (drift map[string]string, gone []apitype.ResourceV3) {
	drift = map[string]string{}
	for _, step := range plan.Listed(found) {
		drift[step.URN] = "changed outside the stack: " + strings.Join(step.Diffs, ", ")
		if step.Change != changes.Delete {
			continue
		}
		drift[step.URN] = "deleted outside the stack"
		for _, r := range before {
			if string(r.URN) == step.URN {
				gone = append(gone, r)
			}
		}
	}
	return drift, gone
}

// MemberOf draws a stack as a member of a project. With live, its state is compared with AWS.
func MemberOf(
	ctx context.Context,
	s *run.Stack,
	live bool,
	table func() (price.Table, error),
) (member Member, err error) {
	prices, err := table()
	if err != nil {
		return member, err
	}
	ctx, r, err := s.Start(ctx, gates.Drift)
	if err != nil {
		return member, err
	}
	defer r.Close()
	file, err := s.Load("")
	if err != nil {
		r.Say("warning: the paths of stack %s are not followed: %s", s.Name, err)
		file = nil
	}
	if err = r.Open(ctx, file, run.MustExist); err == nil && live {
		err = r.Connection.Bind(ctx, r.Verb)
	}
	if err != nil {
		return member, err
	}
	resources, err := r.Stack.ResourcesAndProviders(ctx)
	if err != nil {
		return member, err
	}
	name := ""
	if r.Stack.File != nil {
		name = string(r.Stack.File.Kind)
	}
	member = NewMember(r.Stack.Name, name, resources, prices)
	if outputs, err := r.Stack.Outputs(ctx,
		false); err == nil && outputs["kind"] != nil && paths.HasNetwork(r.Stack.File) {
		followed, err := paths.Deployed(ctx, r.Stack)
		if err != nil {
			return member, err
		}
		member.AddPaths(followed)
	}
	if !live {
		return member, nil
	}
	found, err := r.Engine.Drift(ctx)
	if err != nil {
		return member, err
	}
	member.Drift, member.Compared = len(plan.Listed(found)), true
	return member, nil
}

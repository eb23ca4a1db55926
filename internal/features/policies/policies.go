// Package policies checks the policies of a plan, and lets a violation refuse it.
package policies

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Feature checks the policies of a plan.
type Feature struct {
	run.NoFeature

	// Mandatory refuses a plan that violates a policy. A stack's file can say the same.
	Mandatory bool
	waivers   []forecast.PolicyWaiver
}

var _ run.Feature = (*Feature)(nil)

// Begin reads the waivers in the stack's file.
func (f *Feature) Begin(_ context.Context, r *run.Operation) (err error) {
	if r.Verb == gates.Destroy {
		return nil
	}
	f.waivers, err = Waivers(r.Stack.File)
	return err
}

// Planned adds the violations to the forecast.
func (f *Feature) Planned(_ context.Context, _ *run.Operation, p *run.Planned) error {
	p.Forecast.Policies = policy.Check(resourcesOf(p.Plan.After), f.waivers)
	return nil
}

// Gates returns the gate of mandatory policies.
func (f *Feature) Gates(r *run.Operation, p *run.Planned) []gate.Gate {
	return []gate.Gate{gate.New(policy.Gate(), gate.Refuses(func(context.Context) error {
		if !f.Mandatory && r.Stack.File.Policy != config.PolicyMandatory {
			return nil
		}
		return policy.Violations(p.Forecast.Policies, "the plan of stack "+r.Stack.Name, "nothing was changed",
			config.WaiversKey)
	}))}
}

// Violations returns the policies that resources violate, without those that the stack's file, which may be nil,
// waives.
func Violations(file *config.File, resources []apitype.ResourceV3) (forecast.Policies, error) {
	waivers, err := Waivers(file)
	if err != nil {
		return forecast.Policies{}, err
	}
	return policy.Check(resourcesOf(resources), waivers), nil
}

// Waivers returns the waivers of policies in a stack's file, which may be nil.
func Waivers(file *config.File) ([]forecast.PolicyWaiver, error) {
	if file == nil {
		return nil, nil
	}
	if err := policy.ValidateWaivers(config.WaiversKey, file.PolicyWaivers); err != nil {
		return nil, &failure.Error{Reason: failure.Refused, Problem: file.Path + ": " + err.Error(), Cause: err}
	}
	return file.PolicyWaivers, nil
}

// resourcesOf returns the resources that policies check.
func resourcesOf(resources []apitype.ResourceV3) []props.Resource {
	var list []props.Resource
	for _, r := range resources {
		if !r.External {
			list = append(list, props.ResourceOf(r, r.Inputs))
		}
	}
	return list
}

package run

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// ReadPolicies reads the managed policies by which the guard judges other permissions boundaries of a plan. One that
// cannot be read is said: the guard then asks for a consent.
func (r *Operation) ReadPolicies(ctx context.Context, made *changes.Plan) {
	needed := plan.ToRead(made)
	if len(needed) == 0 {
		return
	}
	accounts := r.Stack.Providers.ByProvider(ctx)
	made.Policies = map[string]string{}
	for _, resource := range made.Existing() {
		in := accounts[resource.Provider]
		if in == nil {
			continue
		}
		for _, arn := range needed[string(resource.URN)] {
			if _, read := made.Policies[arn]; read {
				continue
			}
			text, err := in.Policy(ctx, arn)
			if made.Policies[arn] = text; err != nil {
				r.Say("the document of policy %s cannot be read, so what it takes from the roles is not known: %s", arn, err)
			}
		}
	}
}

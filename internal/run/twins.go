package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
)

// untold are the types of which AWS makes a second instance if the answer to a creation is lost and the request is sent
// again: its API takes no client token for them. Source: aws-sdk-go-v2, service/ec2, the inputs of CreateVpc,
// CreateInternetGateway, AllocateAddress and CreateDhcpOptions.
func untold() []string {
	return []string{awstype.VPC, awstype.InternetGateway, awstype.ElasticIP, awstype.DHCPOptions}
}

// twins finds what AWS has with the owner's tags of some resources beside them: created twice because an answer was
// lost. known are the IDs that are not meant: those of the resources and what existed before. What a state of the
// backend has belongs to a stack.
func (r *Engine) twins(
	ctx context.Context,
	resources []apitype.ResourceV3,
	aws func(apitype.ResourceV3) (account.Account, error),
	known map[string]bool,
) ([]string, error) {
	var found []inventory.Resource
	asked := map[string]bool{}
	for _, of := range resources {
		q := account.Query{Type: string(of.Type), Inputs: of.Inputs}
		if !slices.Contains(untold(), q.Type) || len(q.Owner()) == 0 || asked[q.Type+of.Provider] {
			continue
		}
		asked[q.Type+of.Provider] = true
		in, err := aws(of)
		if err != nil {
			return nil, err
		}
		all, err := in.List(ctx, account.Query{Type: q.Type})
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			if account.CarriesAll(one.Tags, q.Owner()) && !known[one.ID] {
				known[one.ID] = true
				found = append(found, one)
			}
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	err := r.Stack.Session.EachState(ctx, "", func(other state.OfStack) {
		if other.Err == nil {
			found = slices.DeleteFunc(found, func(one inventory.Resource) bool { return other.Deployment.Manages(one.ID) })
		}
	})
	var labels []string
	for _, one := range found {
		labels = append(labels, clusterstatus.TypeLabel(one.Type)+" "+one.ID)
	}
	return labels, err
}

// tellTwins says what an update may have created twice.
func (r *Engine) tellTwins(ctx context.Context, planned *changes.Plan, existed map[string][]string) {
	if planned == nil || !r.Stack.Session.Environment.KnowsAccounts() {
		return
	}
	known := map[string]bool{}
	for _, ids := range existed {
		for _, id := range ids {
			known[id] = true
		}
	}
	var created []apitype.ResourceV3
	for _, after := range planned.After {
		if slices.ContainsFunc(planned.Steps, func(s *changes.Step) bool {
			return s.URN == string(after.URN) && s.Change == changes.Create
		}) {
			created = append(created, after)
		}
	}
	settings := plancheck.ProviderInputs(planned)
	found, err := r.twins(ctx, created, func(of apitype.ResourceV3) (account.Account, error) {
		provider := plancheck.ProviderURN(of.Provider)
		return r.Stack.Providers.Planned(ctx, provider, settings[provider])
	}, known)
	switch {
	case err != nil:
		r.Stack.Say("whether AWS has created something twice is unknown: %s", err)
	case len(found) > 0:
		r.Stack.Say("warning: AWS has %s with this stack's tags, and no state has it: it was probably created twice, because an answer "+
			"of AWS was lost; delete it in AWS", strings.Join(found, ", "))
	}
}

// noTwins fails if AWS has what an update created twice, after everything of the stack was deleted. resources are those
// that the state had, and aws is the account of each.
func (r *Engine) noTwins(
	ctx context.Context,
	resources []apitype.ResourceV3,
	aws func(apitype.ResourceV3) (account.Account, error),
) error {
	known := map[string]bool{}
	for _, one := range resources {
		known[string(one.ID)] = true
	}
	found, err := r.twins(ctx, resources, aws, known)
	if err != nil || len(found) == 0 {
		return err
	}
	return &failure.Error{
		Reason: failure.Failed,
		Problem: fmt.Sprintf("everything in the state of stack %s was deleted, and AWS still has %s with its tags",
			r.Stack.Name, strings.Join(found, ", ")),
		Remedy: "delete it in AWS: it was created twice, because an answer of AWS was lost, and no state has it",
	}
}

package paths

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// addExisting adds a VPC that exists outside the stack to the graph, if it has one and AWS can be asked.
func addExisting(ctx context.Context, s *workspace.Stack, graph *connectivity.Graph, exists bool, vpcID string) {
	if !exists || vpcID == "" || !s.Session.Environment.KnowsAccounts() {
		return
	}
	if err := readExisting(ctx, s, graph, vpcID); err != nil {
		s.Say("VPC %s exists outside the stack and cannot be read: %s; its routes and network ACLs are not checked", vpcID, err)
	}
}

// readExisting adds a VPC that exists outside the stack to the graph. What the credentials may not list is left out,
// and the paths that depend on it report that.
func readExisting(ctx context.Context, s *workspace.Stack, graph *connectivity.Graph, vpcID string) error {
	opened, err := s.Providers.Configured(ctx, "")
	if err != nil {
		return err
	}
	aws := opened.Snapshot()
	var resources []props.Resource
	list := func(q account.Query) error {
		found, err := aws.List(ctx, q)
		for _, r := range found {
			one := props.Resource{Type: r.Type, ID: r.ID, Map: props.Map(r.Properties)}
			tags := map[string]any{}
			for key, value := range r.Tags {
				tags[key] = value
			}
			one.Map["tags"] = tags
			if r.State != "" {
				one.Map["state"] = r.State
			}
			if r.VPC == vpcID || len(q.IDs) > 0 {
				resources = append(resources, one)
			}
		}
		return err
	}
	for _, token := range connectivity.GivenTypes() {
		q := account.Query{Type: token, Inputs: map[string]any{"vpcId": vpcID}}
		if token == awstype.VPC {
			q = account.Query{Type: token, IDs: []string{vpcID}}
		}
		if err := list(q); err != nil {
			s.Say("reading VPC %s: %s; what depends on it is reported as not modelled", vpcID, err)
		}
	}
	deployed, err := s.Resources(ctx)
	if err != nil {
		return err
	}
	if ids := connectivity.PrefixListsIn(append(connectivity.Deployed(deployed), resources...)); len(ids) > 0 {
		for _, id := range ids {
			if err := list(account.Query{Type: awstype.PrefixList, IDs: []string{id}}); err != nil {
				s.Say("reading prefix list %s: %s; what depends on it is reported as not modelled", id, err)
			}
		}
	}
	graph.WithGiven(resources)
	return nil
}

package paths

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// addExisting adds a VPC that exists outside the stack to the graph, if it has one and AWS can be asked.
func addExisting(ctx context.Context, s *workspace.Stack, graph *connectivity.Graph, exists bool, vpcID string) {
	if !exists || vpcID == "" || !s.Session.Environment.KnowsAccounts() {
		return
	}
	deployed, err := s.Resources(ctx)
	if err == nil {
		var found existing
		if found, err = readExisting(ctx, s, vpcID, connectivity.Deployed(deployed),
			connectivity.ExistingTypes()); err == nil {
			graph.WithExisting(found.resources).WithUnread(found.unread)
		}
	}
	if err != nil {
		s.Say("VPC %s exists outside the stack and cannot be read: %s; its routes and network ACLs are not checked", vpcID, err)
	}
}

// existing is a VPC that exists outside the stack, as AWS lists it.
type existing struct {
	resources []props.Resource
	// unread are the types that cannot be listed.
	unread []string
}

// readExisting reads the types of a VPC that exists outside the stack, and the prefix lists that it or the stack's own
// resources refer to. What the credentials may not list is left out, and the paths that depend on it report that.
func readExisting(
	ctx context.Context, s *workspace.Stack, vpcID string, own []props.Resource, types []string,
) (existing, error) {
	var found existing
	opened, err := s.Providers.Configured(ctx, "")
	if err != nil {
		return found, err
	}
	aws := opened.Snapshot()
	list := func(q account.Query) {
		listed, err := aws.List(ctx, q)
		for _, r := range listed {
			one := props.Resource{Type: r.Type, ID: r.ID, Map: props.Map(r.Properties)}
			tags := map[string]any{}
			for key, value := range r.Tags {
				tags[key] = value
			}
			one.Map["tags"] = tags
			if r.State != "" {
				one.Map["state"] = r.State
			}
			if r.VPC == vpcID || len(q.IDs) > 0 || q.Text("securityGroupId") != "" {
				found.resources = append(found.resources, one)
			}
		}
		if err != nil {
			found.unread = append(found.unread, q.Type)
			s.Say("reading VPC %s: %s; what depends on it is reported as not modelled", vpcID, err)
		}
	}
	for _, token := range types {
		switch token {
		case awstype.VPC:
			list(account.Query{Type: token, IDs: []string{vpcID}})
		case awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule:
			for _, r := range found.resources {
				if r.Type == awstype.SecurityGroup {
					list(account.Query{Type: token, Inputs: map[string]any{"securityGroupId": r.ID}})
				}
			}
		default:
			list(account.Query{Type: token, Inputs: map[string]any{"vpcId": vpcID}})
		}
	}
	for _, id := range connectivity.PrefixListsIn(append(own, found.resources...)) {
		list(account.Query{Type: awstype.PrefixList, IDs: []string{id}})
	}
	return found, nil
}

// addACLs adds the network ACLs of the stack's own VPC to the graph, if the VPC exists in the stack's account.
func addACLs(
	ctx context.Context, s *workspace.Stack, graph *connectivity.Graph, planned []props.Resource, vpcID string,
) *connectivity.Graph {
	if !strings.HasPrefix(vpcID, "vpc-") || !s.Session.Environment.KnowsAccounts() {
		return graph
	}
	found, err := readExisting(ctx, s, vpcID, planned, connectivity.ExistingTypes())
	if err != nil {
		s.Say("VPC %s cannot be read: %s; its network ACLs are not checked", vpcID, err)
		return graph
	}
	return graph.WithOwn(found.resources)
}

// ForEgress returns the graph of a plan with what decides where its nodes' connections go, and the network that they
// should find there: of a VPC that exists outside the stack, its endpoints and security groups too, as AWS lists them.
// The file must have the network of a hosted cluster.
func ForEgress(
	ctx context.Context, s *workspace.Stack, after []apitype.ResourceV3,
) (*connectivity.Graph, config.ClusterPaths, error) {
	expected := config.As[config.ClusterNetwork](s.File).ClusterPaths(nil)
	planned := connectivity.Planned(after)
	if !expected.ExistingVPC {
		graph := connectivity.NewGraph(planned)
		expected = graph.PlannedCluster(expected)
		return addACLs(ctx, s, graph, planned, expected.VPCID), expected, nil
	}
	if !s.Session.Environment.KnowsAccounts() || expected.VPCID == "" {
		graph := connectivity.NewGraph(planned)
		return graph.WithUnread([]string{awstype.VPCEndpoint}), expected, nil
	}
	found, err := readExisting(ctx, s, expected.VPCID, planned, append(connectivity.ExistingTypes(), awstype.SecurityGroup,
		awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule))
	if err != nil {
		return nil, expected, err
	}
	graph := connectivity.NewGraph(append(planned, found.resources...))
	return graph.WithExisting(found.resources).WithUnread(found.unread), graph.PlannedCluster(expected), nil
}

package hosted

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Paths checks the paths of traffic and DNS names through the resources in the stack's state. The stack must have a file.
func (h *Cluster) Paths(ctx context.Context) ([]status.Path, error) {
	if err := kind.NeedsNetwork(h.Stack.Name, h.Stack.File.Kind); err != nil {
		return nil, err
	}
	outputs, err := h.Stack.Outputs(ctx, false)
	if err != nil {
		return nil, err
	}
	if outputs["kind"] == nil {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to check: it is not deployed", h.Stack.Name),
			Remedy:  fmt.Sprintf("run `hypershift-aws up -s %s`", h.Stack.Name),
		}
	}
	resources, err := h.Stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	section := h.Stack.File.Section
	if joined, others := h.withNetworkStack(ctx); joined != nil {
		section, resources = joined, append(resources, others...)
	}
	graph := connectivity.NewGraph(connectivity.Deployed(resources))
	if id := givenVPC(h.Stack.File.Kind, section, outputs); id != "" && h.Stack.Session.Environment.KnowsAccounts() {
		if err := h.readGiven(ctx, graph, id); err != nil {
			h.Stack.Say("VPC %s exists outside the stack and cannot be read: %s; its routes and network ACLs are not checked", id, err)
		}
	}
	return kind.ByName(h.Stack.File.Kind).Paths(section, graph, outputs)
}

// withNetworkStack returns the section of a cluster whose network is in another stack, as if the network were its own, and the resources of that
// stack. The section is nil without such a stack, or if its file or its state cannot be read here: then its VPC is read in AWS.
func (h *Cluster) withNetworkStack(ctx context.Context) (config.Section, []apitype.ResourceV3) {
	c := h.Stack.File.Cluster
	if c == nil || c.NetworkStack == "" {
		return nil, nil
	}
	file, err := h.Stack.Session.Project.LoadStack(c.NetworkStack)
	if err != nil || file.Network == nil {
		return nil, nil
	}
	other, err := h.Stack.Session.StackToRead(c.NetworkStack)
	if other == nil || err != nil || other.ReadState(ctx) != nil {
		return nil, nil
	}
	joined := *c
	joined.Network, joined.NetworkStack = file.Network.Network, ""
	return &joined, other.State.InCloud()
}

// givenVPC returns the ID of the VPC that exists outside the stack, "" if the stack has its own.
func givenVPC(name config.Kind, section config.Section, outputs map[string]any) string {
	if given := kind.ByName(name).GivenVPC; given != nil {
		return given(section, outputs)
	}
	return ""
}

// readGiven adds a VPC that exists outside the stack to the graph. What the credentials may not list is left out, and the paths that depend on
// it report that.
func (h *Cluster) readGiven(ctx context.Context, graph *connectivity.Graph, vpcID string) error {
	opened, err := h.Stack.Providers.Configured(ctx, "")
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
			h.Stack.Say("reading VPC %s: %s; what depends on it is reported as not modelled", vpcID, err)
		}
	}
	deployed, err := h.Stack.Resources(ctx)
	if err != nil {
		return err
	}
	if ids := connectivity.PrefixListsIn(append(connectivity.Deployed(deployed), resources...)); len(ids) > 0 {
		for _, id := range ids {
			if err := list(account.Query{Type: awstype.PrefixList, IDs: []string{id}}); err != nil {
				h.Stack.Say("reading prefix list %s: %s; what depends on it is reported as not modelled", id, err)
			}
		}
	}
	graph.WithGiven(resources)
	return nil
}

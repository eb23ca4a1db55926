package view

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Walk follows the paths through the resources in a stack's state.
func Walk(ctx context.Context, stack *automation.Stack) ([]connectivity.Path, error) {
	file := stack.File()
	if file.Kind != config.KindCluster {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to check: it is of kind %s", stack.Name, file.Kind),
			Remedy:  "name a stack of kind " + string(config.KindCluster),
		}
	}
	outputs, err := stack.Outputs(ctx, false)
	if err != nil {
		return nil, err
	}
	if outputs["kind"] == nil {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to check: it is not up", stack.Name),
			Remedy:  fmt.Sprintf("run `hypershift-aws up -s %s`", stack.Name),
		}
	}
	resources, err := stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return connectivity.Walk(connectivity.NewGraph(graphOf(resources)), clusterOf(file.Cluster, outputs)), nil
}

func graphOf(resources []apitype.ResourceV3) []connectivity.Resource {
	var graph []connectivity.Resource
	for _, r := range resources {
		graph = append(graph, connectivity.Resource{Name: r.URN.Name(), Type: string(r.Type), ID: string(r.ID), Properties: r.Outputs})
	}
	return graph
}

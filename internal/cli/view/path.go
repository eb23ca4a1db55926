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

// Walk checks the paths through the resources in a stack's state.
func Walk(ctx context.Context, stack *automation.Stack) ([]connectivity.Path, error) {
	file := stack.File()
	if !hasNetwork(file) {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to check: it is of kind %s", stack.Name, file.Kind),
			Remedy:  fmt.Sprintf("use a stack of kind %s or %s", config.KindCluster, config.KindCAPA),
		}
	}
	outputs, err := stack.Outputs(ctx, false)
	if err != nil {
		return nil, err
	}
	if outputs["kind"] == nil {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to check: it is not deployed", stack.Name),
			Remedy:  fmt.Sprintf("run `hypershift-aws up -s %s`", stack.Name),
		}
	}
	resources, err := stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return walk(file, outputs, resources)
}

// hasNetwork reports whether stacks of the file's kind have a network.
func hasNetwork(file *config.File) bool {
	return file != nil && (file.Kind == config.KindCluster || file.Kind == config.KindCAPA)
}

// walk checks the paths through the resources of a deployed stack.
func walk(file *config.File, outputs map[string]any, resources []apitype.ResourceV3) ([]connectivity.Path, error) {
	graph := connectivity.NewGraph(graphOf(resources))
	if file.Kind == config.KindCAPA {
		m, err := machinesOf(file.CAPA, outputs)
		if err != nil {
			return nil, err
		}
		return connectivity.WalkMachines(graph, m), nil
	}
	return connectivity.Walk(graph, clusterOf(file.Cluster, outputs)), nil
}

// walkPlanned checks the paths through the resources after a plan; nil for a stack without a network.
func walkPlanned(file *config.File, after []apitype.ResourceV3) []connectivity.Path {
	if !hasNetwork(file) {
		return nil
	}
	graph := connectivity.NewGraph(connectivity.Planned(after))
	if file.Kind == config.KindCAPA {
		return connectivity.WalkMachines(graph, graph.PlannedMachines(machines(file.CAPA), file.CAPA.Name))
	}
	return connectivity.Walk(graph, plannedCluster(file.Cluster, graph))
}

func graphOf(resources []apitype.ResourceV3) []connectivity.Resource {
	var graph []connectivity.Resource
	for _, r := range resources {
		graph = append(graph, connectivity.Resource{Name: r.URN.Name(), Type: string(r.Type), ID: string(r.ID), Properties: r.Outputs})
	}
	return graph
}

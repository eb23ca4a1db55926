// Package paths follows the paths of traffic and DNS names through the network of a stack, deployed or planned, as its
// section expects them: config.ClusterNetwork or config.MachineNetwork.
package paths

import (
	"context"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// HasNetwork reports whether stacks of the file's kind have a network.
func HasNetwork(file *config.File) bool { return file != nil && hasNetwork(file.Section) }

func hasNetwork(section config.Section) bool {
	switch section.(type) {
	case config.ClusterNetwork, config.MachineNetwork:
		return true
	}
	return false
}

// Planned follows the paths as they would be after a plan. The file's stack must have a network.
func Planned(file *config.File, after []apitype.ResourceV3) []status.Path {
	graph := connectivity.NewGraph(connectivity.Planned(after))
	if cluster := config.As[config.ClusterNetwork](file); cluster != nil {
		return connectivity.Walk(graph, graph.PlannedCluster(cluster.ClusterPaths(nil)))
	}
	machines, _ := config.As[config.MachineNetwork](file).MachinePaths(nil) // it fails for outputs alone
	return connectivity.WalkMachines(graph, graph.PlannedMachines(machines))
}

// Deployed follows the paths through the resources in the stack's state. The stack must have a file.
func Deployed(ctx context.Context, s *workspace.Stack) ([]status.Path, error) {
	if !HasNetwork(s.File) {
		return nil, withoutNetwork(s)
	}
	outputs, err := s.Outputs(ctx, false)
	if err != nil {
		return nil, err
	}
	if outputs["kind"] == nil {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to check: it is not deployed", s.Name),
			Remedy:  fmt.Sprintf("run `hypershift-aws up -s %s`", s.Name),
		}
	}
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	section := s.File.Section
	if joined, others := withNetworkStack(ctx, s); joined != nil {
		section, resources = joined, append(resources, others...)
	}
	graph := connectivity.NewGraph(connectivity.Deployed(resources))
	if cluster, ok := section.(config.ClusterNetwork); ok {
		expected := cluster.ClusterPaths(outputs)
		addExisting(ctx, s, graph, expected.ExistingVPC, expected.VPCID)
		return connectivity.Walk(graph, expected), nil
	}
	expected, err := section.(config.MachineNetwork).MachinePaths(outputs) //nolint:forcetypeassert // HasNetwork
	if err != nil {
		return nil, err
	}
	addExisting(ctx, s, graph, expected.ExistingVPC, expected.VPCID)
	return connectivity.WalkMachines(graph, expected), nil
}

// Flow follows the steps of HyperShift's networking flow through the resources in the stack's state. It returns none
// for a stack without a network.
func Flow(ctx context.Context, r *run.Operation) ([]status.FlowStep, error) {
	if !HasNetwork(r.Stack.File) {
		return nil, nil
	}
	paths, err := Deployed(ctx, r.Stack)
	if err != nil {
		return nil, err
	}
	return connectivity.Flow(paths), nil
}

// WithoutNodes returns the refusal for a stack whose kind has no network of a hosted cluster's nodes.
func WithoutNodes(s *workspace.Stack) error {
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("stack %s has no network of a hosted cluster's nodes: it is of kind %s", s.Name, s.File.Kind),
		Remedy:  "use a stack of kind cluster or network",
	}
}

// withoutNetwork returns the refusal for a stack whose kind has no network.
func withoutNetwork(s *workspace.Stack) error {
	var names []string
	for _, d := range stacks.Kinds() {
		if hasNetwork(d.Section()) {
			names = append(names, string(d.Kind))
		}
	}
	last := len(names) - 1
	remedy := "use a stack of kind " + strings.Join(names[:last], ", ") + " or " + names[last]
	if stacks.Kinds().Definition(s.File.Kind).Instead != "" { // a part of a hosted cluster
		remedy = "use the stack of kind network or cluster that has the network of the same hosted cluster"
	}
	return &failure.Error{
		Reason: failure.Failed, Problem: fmt.Sprintf("stack %s has no network to check: it is of kind %s", s.Name,
			s.File.Kind), Remedy: remedy,
	}
}

// withNetworkStack returns the section of a cluster whose network is in another stack, as if the network were its own,
// and the resources of that stack. The section is nil without such a stack, or if its file or its state cannot be read
// here: then its VPC is read in AWS.
func withNetworkStack(ctx context.Context, s *workspace.Stack) (config.Section, []apitype.ResourceV3) {
	c := config.As[*config.Cluster](s.File)
	if c == nil || c.NetworkStack == "" {
		return nil, nil
	}
	file, err := s.Session.Project.LoadStack(c.NetworkStack)
	network := config.As[*config.Network](file)
	if err != nil || network == nil {
		return nil, nil
	}
	other, err := s.Session.StackToRead(c.NetworkStack)
	if other == nil || err != nil || other.ReadState(ctx) != nil {
		return nil, nil
	}
	joined := *c
	joined.Network, joined.NetworkStack = network.Network, ""
	return &joined, other.State.InCloud()
}

package automation

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
)

// The types of a hosted cluster's objects.
const (
	typeHostedCluster = "kubernetes:" + crd.APIVersion + ":" + crd.HostedCluster
	typeNodePool      = "kubernetes:" + crd.APIVersion + ":" + crd.NodePool
)

// HostedCluster is the one that a stack has made.
type HostedCluster struct {
	// Name and Namespace find the object in the management cluster; NodePools are the names of its pools there.
	Name, Namespace string
	NodePools       []string

	urn       string
	protected bool
}

// HostedCluster returns the hosted cluster in the stack's state, nil where there is none.
func (s *Stack) HostedCluster(ctx context.Context) (*HostedCluster, error) {
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	var cluster *HostedCluster
	var pools []string
	for _, r := range resources {
		metadata, _ := r.Inputs["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		namespace, _ := metadata["namespace"].(string)
		switch string(r.Type) {
		case typeHostedCluster:
			cluster = &HostedCluster{Name: name, Namespace: namespace, urn: string(r.URN), protected: r.Protect}
		case typeNodePool:
			pools = append(pools, name)
		}
	}
	if cluster != nil {
		cluster.NodePools = pools
	}
	return cluster, nil
}

// Unprotect lets the engine delete a hosted cluster. The next up protects it again.
func (s *Stack) Unprotect(ctx context.Context, cluster *HostedCluster) error {
	return s.protection(ctx, cluster, "unprotect")
}

// Protect undoes Unprotect.
func (s *Stack) Protect(ctx context.Context, cluster *HostedCluster) error {
	return s.protection(ctx, cluster, "protect")
}

func (s *Stack) protection(ctx context.Context, cluster *HostedCluster, verb string) error {
	if !cluster.protected {
		return nil
	}
	s.stateChanged()
	if _, err := s.run(ctx, "state", verb, cluster.urn, "--yes", "--stack", s.Name); err != nil {
		return fmt.Errorf("%sing the HostedCluster %s in the state: %w", verb, cluster.Name, s.classify(err))
	}
	return nil
}

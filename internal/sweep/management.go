package sweep

import (
	"context"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// managementClusters reads the management clusters of the flags and the stacks' files.
func (c *Scope) managementClusters(ctx context.Context) []ManagementCluster {
	wanted := slices.Clone(c.Kubeconfigs)
	for _, file := range c.Project.Files() {
		if file.Cluster != nil && file.Cluster.HostedCluster != nil && file.Cluster.HostedCluster.Kubeconfig != nil {
			wanted = append(wanted, *file.Cluster.HostedCluster.Kubeconfig)
		}
		if file.Management != nil && file.Management.Kubeconfig != nil {
			wanted = append(wanted, *file.Management.Kubeconfig)
		}
	}
	var clusters []ManagementCluster
	seen := map[config.Kubeconfig]bool{}
	for _, one := range wanted {
		if seen[one] {
			continue
		}
		seen[one] = true
		m := ManagementCluster{Name: managementName(one)}
		m.Alive, m.Err = c.infrastructures(ctx, one)
		clusters = append(clusters, m)
	}
	return clusters
}

func managementName(k config.Kubeconfig) string {
	switch {
	case k.Context != "":
		return k.Context
	case k.File != "":
		return "of " + k.File
	}
	return "of the current context"
}

// managementTimeout limits the time that a management cluster may take to answer.
const managementTimeout = 20 * time.Second

func (c *Scope) infrastructures(ctx context.Context, k config.Kubeconfig) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, managementTimeout)
	defer cancel()
	return c.Project.Infrastructures(ctx, k)
}
